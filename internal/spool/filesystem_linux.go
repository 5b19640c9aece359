package spool

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// network are the types of file systems by which several machines see one folder, as Linux numbers them (statfs(2),
// and the headers of those that are not part of it).
var network = map[uint32]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB2", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS", 0x19830326: "BeeGFS", 0x5346414f: "AFS", 0x6b414653: "AFS",
	0x00c36400: "Ceph", 0x01021997: "9P", 0x65735546: "FUSE", 0x73757245: "Coda", 0x7461636f: "OCFS2", 0x01161970: "GFS2", 0xaad7aaea: "PanFS", 0x20030528: "OrangeFS",
}

// NetworkFileSystem names the kind of the file system that path lies on, or will lie on, where several machines may
// see it; empty for others.
func NetworkFileSystem(path string) (string, error) {
	for {
		var stat syscall.Statfs_t
		err := syscall.Statfs(path, &stat)
		if err == nil {
			return network[uint32(stat.Type)], nil
		}
		parent := filepath.Dir(path)
		if !errors.Is(err, fs.ErrNotExist) || parent == path {
			return "", err
		}
		path = parent
	}
}
