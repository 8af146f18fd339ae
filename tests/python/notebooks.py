"""notebooks.py DIRECTORY [store]: runs all notebooks headless; what a cell prints must be what is stored with it.

With `store` the printed output is written into the notebooks instead. Pictures are run, not stored.
"""
import glob
import os
import sys
import tempfile

try:
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    import ipykernel  # noqa: F401
except ImportError as error:
    print('skipped: %s (scripts/setup-python)' % error)
    sys.exit(77)


def printed(cell):
    return ''.join(o.get('text', '') for o in cell.get('outputs', []) if o['output_type'] == 'stream' and o['name'] == 'stdout')


def main(directory, store):
    failed = ran = 0
    top = os.path.join(directory, '..', '..')
    place = os.path.join(os.environ['IPYTHONDIR'], 'examples', 'notebooks')  # what they write stays out of the source tree
    os.makedirs(place)
    os.symlink(os.path.abspath(os.path.join(top, 'models')), os.path.join(place, '..', '..', 'models'))
    os.symlink(os.path.abspath(os.path.join(top, 'examples', 'python')), os.path.join(place, '..', 'python'))
    for path in sorted(glob.glob(os.path.join(directory, '*.ipynb'))):
        notebook = nbformat.read(path, as_version=4)
        text = ''.join(c.source for c in notebook.cells)
        needs = [n for n in ('torch', 'matplotlib') if 'import ' + n in text]
        missing = [n for n in needs if not _there(n)]
        if missing:
            print('skipped: %s needs %s' % (path, ', '.join(missing)))
            continue
        before = [printed(c) for c in notebook.cells]
        try:
            NotebookClient(notebook, timeout=200, kernel_name='python3', resources={'metadata': {'path': place}}).execute()
        except CellExecutionError as error:
            print('%s: %s' % (path, error))
            failed += 1
            continue
        ran += 1
        for cell, want in zip(notebook.cells, before):
            if cell.cell_type != 'code':
                continue
            got = printed(cell)
            if got != want and not store:
                print('%s: a cell printed\n%swhere this is stored:\n%s' % (path, got, want))
                failed += 1
            cell.outputs = [nbformat.v4.new_output('stream', name='stdout', text=got)] if got else []
            cell.execution_count = None
            cell.metadata.pop('execution', None)
        if store:
            notebook.metadata = {'kernelspec': notebook.metadata['kernelspec'], 'language_info': {'name': 'python'}}
            nbformat.write(notebook, path)
    print('%d notebooks, %d failures' % (ran, failed))
    return 1 if failed else 0


def _there(module):
    try:
        __import__(module)
        return True
    except ImportError:
        return False


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(IPYTHONDIR=home, JUPYTER_RUNTIME_DIR=home, JUPYTER_DATA_DIR=home, PYDEVD_DISABLE_FILE_VALIDATION='1')
        code = main(os.path.abspath(sys.argv[1]), sys.argv[2:] == ['store'])
    sys.exit(code)
