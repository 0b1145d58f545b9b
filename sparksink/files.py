"""Small files on Hadoop file systems."""

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
        """Return the text of a file; None if it does not exist."""
        system, hadoop_path = self._at(path)
        if not system.exists(hadoop_path):
            return None
        stream = system.open(hadoop_path)
        try:
            return bytes(stream.readAllBytes()).decode()
        finally:
            stream.close()

    def exists(self, path: str) -> bool:
        """Return whether a file exists."""
        system, hadoop_path = self._at(path)
        return bool(system.exists(hadoop_path))

    def glob(self, pattern: str) -> list[str]:
        """Return the files and folders that match a glob pattern."""
        system, hadoop_path = self._at(pattern)
        return [str(one.getPath()) for one in system.globStatus(hadoop_path) or ()]

    def write(self, path: str, text: str, *, over: bool) -> None:
        """Write a file; without ``over`` only if it does not exist.

        :raises FileExistsError: the file exists, perhaps written by another process.
        """
        system, hadoop_path = self._at(path)
        if not over and system.exists(hadoop_path):
            raise FileExistsError(path)
        stream = system.create(hadoop_path, over)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def replace(self, path: str, text: str) -> None:
        """Replace a file atomically, if the file system renames atomically.

        Removes the checksum file that Hadoop writes on local disks, which is not part of that step.
        """
        folder, _, name = path.rpartition("/")
        self.write(f"{path}.new", text, over=True)
        self.remove(f"{folder}/.{name}.new.crc")
        gateway: Any = self._spark.sparkContext._gateway  # noqa: SLF001 - for a Java array
        hadoop = self._jvm.org.apache.hadoop.fs
        over = gateway.new_array(hadoop.Options.Rename, 1)
        over[0] = hadoop.Options.Rename.OVERWRITE
        hadoop_path, to = self._qualify(f"{path}.new"), self._qualify(path)
        context = hadoop.FileContext.getFileContext(to.toUri(), self._configuration)
        context.rename(hadoop_path, to, over)

    def move(self, path: str, to: str) -> bool:
        """Rename a file; of several processes only one succeeds."""
        system, hadoop_path = self._at(path)
        return bool(system.rename(hadoop_path, self._path(to)))

    def remove(self, path: str) -> None:
        """Remove a file if it exists."""
        system, hadoop_path = self._at(path)
        system.delete(hadoop_path, False)

    def remove_all(self, path: str) -> None:
        """Remove a folder and its contents if it exists."""
        system, hadoop_path = self._at(path)
        system.delete(hadoop_path, True)

    def _at(self, path: str) -> tuple[Any, Any]:
        hadoop_path = self._path(path)
        return hadoop_path.getFileSystem(self._configuration), hadoop_path

    def _qualify(self, path: str) -> Any:
        system, hadoop_path = self._at(path)
        return system.makeQualified(hadoop_path)

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)
