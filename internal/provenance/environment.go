package provenance

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
)

// Environment is the fingerprint of the machine and the program, by these names; what cannot be found out is empty.
//
//	host           name of the machine
//	os, arch       as Go names them: linux, amd64
//	cpus           logical processors that this process may use
//	cpu_model      as the processor names itself; Linux on x86 only
//	track_version  version as given, see [Version]
//
// Nothing is taken from environment variables: they hold secrets.
func Environment(version string) map[string]string {
	host, _ := os.Hostname() // empty if there is none
	return map[string]string{
		"host":          host,
		"os":            runtime.GOOS,
		"arch":          runtime.GOARCH,
		"cpus":          strconv.Itoa(runtime.NumCPU()),
		"cpu_model":     cpuModel(),
		"track_version": version,
	}
}

// cpuModel reads the first processor only: a machine with hundreds of them has a long list.
func cpuModel() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	start := make([]byte, 4<<10)
	n, _ := f.Read(start)
	return parseCPUModel(start[:n])
}

func parseCPUModel(cpuinfo []byte) string {
	for line := range bytes.Lines(cpuinfo) {
		name, value, ok := bytes.Cut(line, []byte(":"))
		if ok && string(bytes.TrimSpace(name)) == "model name" {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}
