"""Reads a trajectory from a MAT file as its description says it is laid out, and compares it with the CSV file of the same run.

Written from the format's description (MAT-File Level 4; Dymola's layout: Aclass, name, description, dataInfo, data_1, data_2), not
from src/result/mat.c, so that both cannot be wrong in the same way. Where SciPy is there, it has to see the same matrices.
"""
import csv
import struct
import sys


def matrices(path):
    """The matrices of a level 4 file: name to (rows, columns, texts or numbers by column)."""
    found = {}
    data = open(path, 'rb').read()
    at = 0
    while at < len(data):
        kind, rows, columns, imaginary, length = struct.unpack_from('<5i', data, at)
        assert imaginary == 0 and kind // 1000 == 0, 'little-endian and real'
        name = data[at + 20:at + 20 + length - 1].decode('ascii')
        assert data[at + 20 + length - 1] == 0, 'names end with a zero'
        at += 20 + length
        letter, size = {0: ('d', 8), 2: ('i', 4), 5: ('B', 1)}[kind // 10 % 10]
        values = struct.unpack_from('<%d%s' % (rows * columns, letter), data, at)
        at += rows * columns * size
        found[name] = (rows, columns, values)
    assert at == len(data), 'nothing after the last matrix'
    return found


def texts(matrix, transposed):
    rows, columns, values = matrix
    count, width = (columns, rows) if transposed else (rows, columns)
    pick = (lambda i, j: values[i * rows + j]) if transposed else (lambda i, j: values[j * rows + i])
    return [bytes(pick(i, j) for j in range(width)).rstrip(b'\0 ').decode('utf-8') for i in range(count)]


def trajectory(path):
    m = matrices(path)
    kind = texts(m['Aclass'], False)
    assert kind == ['Atrajectory', '1.1', '', 'binTrans'], kind
    names, about = texts(m['name'], True), texts(m['description'], True)
    rows, columns, info = m['dataInfo']
    assert rows == 4 and columns == len(names) == len(about)
    result = {}
    for i, name in enumerate(names):
        which, place, interpolation, outside = info[4 * i:4 * i + 4]
        assert interpolation in (0, -1) and outside in (0, -1)
        height, width, values = m['data_%d' % (which if which else 2)]
        row = [values[k * height + abs(place) - 1] for k in range(width)]
        result[name] = [-v for v in row] if place < 0 else row
    assert names[0] == 'time' and info[0] == 0 and info[1] == 1
    assert m['data_1'][2][0] == result['time'][0] and m['data_1'][2][m['data_1'][0]] == result['time'][-1]
    return result


def main(mat, text):
    result = trajectory(mat)
    with open(text, newline='') as file:
        rows = list(csv.reader(file))
    assert rows[0] == list(result), (rows[0], list(result))
    for j, name in enumerate(rows[0]):
        column = [float(row[j]) for row in rows[1:] if row[j] != '']
        if len(column) == 1:
            assert set(result[name]) == {column[0]}, name
        else:
            assert result[name] == column, name
    print('%d variables, %d rows: the same' % (len(rows[0]), len(rows) - 1))
    try:
        from scipy.io import loadmat
    except ImportError:
        print('skipped: no SciPy as a further reader of MAT files')
        return
    seen = loadmat(mat, chars_as_strings=False)
    for name, (height, width, values) in matrices(mat).items():
        assert seen[name].shape == (height, width), name
        if seen[name].dtype.kind == 'f':
            assert list(seen[name].T.ravel()) == list(values), name
    print('SciPy sees the same')


main(*sys.argv[1:])
