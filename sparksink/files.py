"""Small files on any file system that Hadoop knows; the driver's own disk is never used."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


class Files:
    """Reads and writes text files by path or URI."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._jvm: Any = spark._jvm  # noqa: SLF001 - the only way to Hadoop's file systems
        self._configuration: Any = spark.sparkContext._jsc.hadoopConfiguration()  # noqa: SLF001 - as above

    def read(self, path: str) -> str | None:
        """Return the text of a file; None when there is none."""
        system, place = self._at(path)
        if not system.exists(place):
            return None
        stream = system.open(place)
        try:
            return bytes(stream.readAllBytes()).decode()
        finally:
            stream.close()

    def exists(self, path: str) -> bool:
        """Return whether there is a file."""
        system, place = self._at(path)
        return bool(system.exists(place))

    def found(self, pattern: str) -> list[str]:
        """Return the files and folders of a pattern, in which ``*`` stands for any name."""
        system, place = self._at(pattern)
        return [str(one.getPath()) for one in system.globStatus(place) or ()]

    def write(self, path: str, text: str, *, over: bool) -> None:
        """Write a file; without ``over`` only where there is none, of which another may be first.

        :raises FileExistsError: there is one.
        """
        system, place = self._at(path)
        if not over and system.exists(place):
            raise FileExistsError(path)
        stream = system.create(place, over)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def replace(self, path: str, text: str) -> None:
        """Write a file in place of another one in one step, where the file system renames in one.

        On a local disk Hadoop keeps checksums in files beside, which would be another step.
        """
        folder, _, name = path.rpartition("/")
        self.write(f"{path}.new", text, over=True)
        self.remove(f"{folder}/.{name}.new.crc")
        gateway: Any = self._spark.sparkContext._gateway  # noqa: SLF001 - for an array of Java's
        hadoop = self._jvm.org.apache.hadoop.fs
        over = gateway.new_array(hadoop.Options.Rename, 1)
        over[0] = hadoop.Options.Rename.OVERWRITE
        place, to = self._qualified(f"{path}.new"), self._qualified(path)
        context = hadoop.FileContext.getFileContext(to.toUri(), self._configuration)
        context.rename(place, to, over)

    def move(self, path: str, to: str) -> bool:
        """Give a file another name; only one of several who try succeeds."""
        system, place = self._at(path)
        return bool(system.rename(place, self._path(to)))

    def remove(self, path: str) -> None:
        """Remove a file, if there is one."""
        system, place = self._at(path)
        system.delete(place, False)

    def remove_all(self, path: str) -> None:
        """Remove a folder with all that is in it, if there is one."""
        system, place = self._at(path)
        system.delete(place, True)

    def _at(self, path: str) -> tuple[Any, Any]:
        place = self._path(path)
        return place.getFileSystem(self._configuration), place

    def _qualified(self, path: str) -> Any:
        system, place = self._at(path)
        return system.makeQualified(place)

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)
