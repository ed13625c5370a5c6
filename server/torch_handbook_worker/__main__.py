"""Starts the worker in the user's Python: `PYTHON -X utf8 path/to/torch_handbook_worker`."""
# Read by whatever Python the user has, so nothing here may be newer than Python 2.7.

import sys


def prepare():
    """Make this package importable, and nothing else: neither its neighbours nor a relative entry may shadow a module."""
    import importlib.util
    from pathlib import Path

    folder = Path(__file__).resolve().parent
    unwanted = {folder} if str(folder.parent) in installation() else {folder, folder.parent}
    sys.path[:] = [entry for entry in sys.path if Path(entry).is_absolute() and Path(entry) not in unwanted]
    name = "torch_handbook_worker"
    spec = importlib.util.spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


def installation():
    """The folders that this Python's own packages are in: where the server is one of them, its neighbours are the user's."""
    import site
    import sysconfig

    paths = sysconfig.get_paths()
    found = [paths[key] for key in ("purelib", "platlib")] + [site.getusersitepackages()]
    return found + getattr(site, "getsitepackages", list)()


def main():
    if sys.version_info < (3, 9):
        sys.exit(
            "Torch Handbook needs Python 3.9 or newer to look at tensors; %s is %s" % (sys.executable, sys.version.split()[0])
        )
    prepare()
    from torch_handbook_worker.loop import serve

    serve()


if __name__ == "__main__":
    main()
