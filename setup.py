"""Puts the shared library and what it needs into the Python package.

In: the sources, or a build directory that ACAUSAL_BUILD names. Out: python/acausal with libacausal.so, acausal.h, and beside the library all
that it needs and that not every Linux has, found by $ORIGIN. Tests: tests/python/install.sh.
"""
import os
import re
import shutil
import subprocess
import sysconfig

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

TOP = os.path.dirname(os.path.abspath(__file__))
# Parts of the C library, and the loader: of the system that the wheel is used on.
OF_THE_SYSTEM = re.compile(r'lib(c|m|dl|rt|pthread)\.so\.|ld-linux|linux-vdso')


def build_library():
    """The build directory, with the library that is made for packages in it."""
    build = os.environ.get('ACAUSAL_BUILD') or os.path.join(TOP, 'build-python')
    if not os.path.exists(os.path.join(build, 'CMakeCache.txt')):
        generator = ['-G', 'Ninja'] if shutil.which('ninja') else []
        subprocess.check_call(['cmake', '-S', TOP, '-B', build] + generator)
    subprocess.check_call(['cmake', '--build', build, '--target', 'acausal_bundled', '--parallel', str(min(os.cpu_count() or 1, 4))])
    return build


def needed(library):
    """Paths of all libraries that this one needs, directly or not."""
    text = subprocess.check_output(['ldd', library], text=True)
    missing = re.findall(r'(\S+) => not found', text)
    if missing:
        raise RuntimeError('%s needs %s' % (library, ', '.join(missing)))
    return [(name, path) for name, path in re.findall(r'(\S+) => (\S+)', text) if not OF_THE_SYSTEM.match(name)]


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        place = os.path.join(self.build_lib, 'acausal')
        os.makedirs(place, exist_ok=True)
        library = os.path.join(build_library(), 'bundled', 'libacausal.so')
        shutil.copy(os.path.join(TOP, 'include', 'acausal.h'), place)
        for name, path in [('libacausal.so', library)] + needed(library):
            target = os.path.join(place, name)
            shutil.copyfile(path, target)
            subprocess.call(['strip', '--strip-unneeded', target])


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True


commands = {'build_py': BuildWithLibrary}
try:
    from wheel.bdist_wheel import bdist_wheel

    class BinaryWheel(bdist_wheel):
        """For all Pythons on this platform: nothing is linked with Python."""

        def get_tag(self):
            return 'py3', 'none', re.sub(r'[-.]', '_', sysconfig.get_platform())

    commands['bdist_wheel'] = BinaryWheel
except ImportError:
    pass

with open(os.path.join(TOP, 'CMakeLists.txt'), encoding='utf-8') as file:
    version = re.search(r'project\(acausal VERSION ([0-9.]+)', file.read()).group(1)

setup(version=version, distclass=BinaryDistribution, cmdclass=commands, package_data={'acausal': ['py.typed']},
      options={'build': {'build_base': 'build-python/wheel'}})
