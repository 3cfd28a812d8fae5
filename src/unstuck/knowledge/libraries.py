"""Shared libraries and the packages that contain them, for the three families of base images and for nodes.

Sources: the file lists of Debian 12 and Ubuntu 22.04 (packages.debian.org, packages.ubuntu.com), Fedora 41
and RHEL 9 (packages.fedoraproject.org), Alpine 3.20 (pkgs.alpinelinux.org).
"""

from __future__ import annotations

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex


@record()
class Library(Record):
    """begins: of its file's name. debian, redhat, alpine: the package with it; "" where there is none."""

    begins: str
    debian: str = ""
    redhat: str = ""
    alpine: str = ""


LIBRARIES: tuple[Library, ...] = (
    Library("libseccomp.so.2", "libseccomp2", "libseccomp", "libseccomp"),
    Library("libapparmor.so.1", "libapparmor1", "", "libapparmor"),
    Library("libdevmapper.so.1.02", "libdevmapper1.02.1", "device-mapper-libs", "device-mapper-libs"),
    Library("libselinux.so.1", "libselinux1", "libselinux", "libselinux"),
    Library("libsystemd.so.0", "libsystemd0", "systemd-libs"),
    Library("libudev.so.1", "libudev1", "systemd-libs", "eudev-libs"),
    Library("libgpgme.so.11", "libgpgme11", "gpgme", "gpgme"),
    Library("libassuan.so.0", "libassuan0", "libassuan", "libassuan"),
    Library("libbtrfs.so.0", "libbtrfs0", "btrfs-progs", "btrfs-progs-libs"),
    Library("libyajl.so.2", "libyajl2", "yajl", "yajl"),
    Library("libcap.so.2", "libcap2", "libcap", "libcap2"),
    Library("libltdl.so.7", "libltdl7", "libtool-ltdl", "libltdl"),
    Library("libnl-3.so.200", "libnl-3-200", "libnl3", "libnl3"),
    Library("libnftables.so.1", "libnftables1", "nftables", "nftables"),
    Library("libmnl.so.0", "libmnl0", "libmnl", "libmnl"),
    Library(
        "libnetfilter_conntrack.so.3",
        "libnetfilter-conntrack3",
        "libnetfilter_conntrack",
        "libnetfilter_conntrack",
    ),
    Library("libipset.so.13", "libipset13", "ipset-libs", "ipset"),
    Library("libfuse.so.2", "libfuse2", "fuse-libs", "fuse"),
    Library("libfuse3.so.3", "libfuse3-3", "fuse3-libs", "fuse3-libs"),
    Library("librbd.so.1", "librbd1", "librbd1", "librbd"),
    Library("librados.so.2", "librados2", "librados2", "librados"),
    Library("libssl.so.3", "libssl3", "openssl-libs", "libssl3"),
    Library("libcrypto.so.3", "libssl3", "openssl-libs", "libcrypto3"),
    Library("libssl.so.1.1", "libssl1.1", "openssl1.1"),
    Library("libcrypto.so.1.1", "libssl1.1", "openssl1.1"),
    Library("libssl.so.10", "", "compat-openssl10"),
    Library("libcrypto.so.10", "", "compat-openssl10"),
    Library("libcrypt.so.1", "libcrypt1", "libxcrypt-compat"),
    Library("libcrypt.so.2", "", "libxcrypt"),
    Library("libstdc++.so.6", "libstdc++6", "libstdc++", "libstdc++"),
    Library("libgcc_s.so.1", "libgcc-s1", "libgcc", "libgcc"),
    Library("libgomp.so.1", "libgomp1", "libgomp", "libgomp"),
    Library("libatomic.so.1", "libatomic1", "libatomic", "libatomic"),
    Library("libtinfo.so.5", "libtinfo5", "ncurses-compat-libs"),
    Library("libtinfo.so.6", "libtinfo6", "ncurses-libs"),
    Library("libncurses", "libncurses6", "ncurses-libs", "ncurses-libs"),
    Library("libreadline.so.8", "libreadline8", "readline", "readline"),
    Library("libz.so.1", "zlib1g", "zlib-ng-compat", "zlib"),
    Library("liblz4.so.1", "liblz4-1", "lz4-libs", "lz4-libs"),
    Library("libzstd.so.1", "libzstd1", "libzstd", "zstd-libs"),
    Library("libsnappy.so.1", "libsnappy1v5", "snappy", "snappy"),
    Library("libjemalloc.so.2", "libjemalloc2", "jemalloc", "jemalloc"),
    Library("libaio.so.1", "libaio1", "libaio", "libaio"),
    Library("libnuma.so.1", "libnuma1", "numactl-libs", "numactl"),
    Library("liburing.so.2", "liburing2", "liburing", "liburing"),
    Library("libpq.so.5", "libpq5", "libpq", "libpq"),
    Library("libmysqlclient.so.21", "libmysqlclient21", "mysql-libs"),
    Library("libmariadb.so.3", "libmariadb3", "mariadb-connector-c", "mariadb-connector-c"),
    Library("libsqlite3.so.0", "libsqlite3-0", "sqlite-libs", "sqlite-libs"),
    Library("libodbc.so.2", "libodbc2", "unixODBC", "unixodbc"),
    Library("librdkafka.so.1", "librdkafka1", "librdkafka", "librdkafka"),
    Library("libxml2.so.2", "libxml2", "libxml2", "libxml2"),
    Library("libxslt.so.1", "libxslt1.1", "libxslt", "libxslt"),
    Library("libyaml-0.so.2", "libyaml-0-2", "libyaml", "yaml"),
    Library("libcurl.so.4", "libcurl4", "libcurl", "libcurl"),
    Library("libcurl-gnutls.so.4", "libcurl3-gnutls"),
    Library("libicu", "libicu72", "libicu", "icu-libs"),
    Library("libkrb5.so.3", "libkrb5-3", "krb5-libs", "krb5-libs"),
    Library("libgssapi_krb5.so.2", "libgssapi-krb5-2", "krb5-libs", "krb5-libs"),
    Library("libldap", "libldap-2.5-0", "openldap", "libldap"),
    Library("libglib-2.0.so.0", "libglib2.0-0", "glib2", "glib"),
    Library("libGL.so.1", "libgl1", "mesa-libGL", "mesa-gl"),
    Library("libX11.so.6", "libx11-6", "libX11", "libx11"),
    Library("libXrender.so.1", "libxrender1", "libXrender", "libxrender"),
    Library("libXext.so.6", "libxext6", "libXext", "libxext"),
    Library("libSM.so.6", "libsm6", "libSM", "libsm"),
    Library("libfontconfig.so.1", "libfontconfig1", "fontconfig", "fontconfig"),
    Library("libfreetype.so.6", "libfreetype6", "freetype", "freetype"),
    Library("libnss3.so", "libnss3", "nss", "nss"),
    Library("libatk-1.0.so.0", "libatk1.0-0", "atk", "at-spi2-core"),
    Library("libgbm.so.1", "libgbm1", "mesa-libgbm", "mesa-gbm"),
    Library("libgdiplus", "libgdiplus", "libgdiplus", "libgdiplus"),
    Library("libvips.so.42", "libvips42", "vips", "vips"),
    Library("libmagic.so.1", "libmagic1", "file-libs", "libmagic"),
    Library("libgdal.so", "libgdal32", "gdal-libs", "gdal"),
    Library("libgeos_c.so.1", "libgeos-c1v5", "geos", "geos"),
    Library("libpython3", "libpython3.11", "python3-libs", "python3"),
    Library("libruby", "libruby3.1", "ruby-libs", "ruby-libs"),
    Library("libjvm.so", "openjdk-17-jre-headless", "java-17-openjdk-headless", "openjdk17-jre-headless"),
    Library("libnsl.so.1", "libnsl2", "libnsl"),
    Library("libtirpc.so.3", "libtirpc3", "libtirpc", "libtirpc"),
    Library("libibverbs.so.1", "libibverbs1", "libibverbs", "libibverbs"),
    Library("librdmacm.so.1", "librdmacm1", "librdmacm", "librdmacm"),
    Library("ld-linux-x86-64.so.2", "libc6", "glibc", "gcompat"),
    Library("libdl.so.2", "libc6", "glibc", "gcompat"),
    Library("libpthread.so.0", "libc6", "glibc", "gcompat"),
    Library("libm.so.6", "libc6", "glibc", "gcompat"),
    Library("libc.so.6", "libc6", "glibc", "gcompat"),
    Library("libresolv.so.2", "libc6", "glibc", "gcompat"),
)
_FILE = regex(r"^(?:/\S{1,300}/)?(?P<file>[\w.+-]{3,80})$")


def find_library(name: str) -> Library | None:
    """Return the library of this name or path; None if it is not known."""
    found = _FILE.match(name)
    file = found["file"] if found else ""
    return next((one for one in LIBRARIES if file.startswith(one.begins)), None)
