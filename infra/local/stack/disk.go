package stack

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"

	"github.com/loadbay/loadbay/infra/local/gateway"
)

// fullDisk is the percentage of used space from which changes are refused. The rest is for
// imports that run already, and for the database, which cannot delete anything without space.
const fullDisk = 95

// usedSpace returns the used percentage of the file system of a folder, as df does: space that is
// reserved for root does not count.
func usedSpace(dir string) (float64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("measure the disk: %w", err)
	}
	used := float64(s.Blocks - s.Bfree)
	return 100 * used / (used + float64(s.Bavail)), nil
}

// refuseIfFull refuses requests that need space while the disk is nearly full, before they fail
// halfway. Reading, deleting and cancelling go on.
func (s *Stack) refuseIfFull(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !needsSpace(r) {
			api.ServeHTTP(w, r)
			return
		}
		used, err := s.usedSpace(s.config.DataDir)
		if err != nil {
			s.config.Logger.Error("measure the disk", "error", err)
		}
		if used < fullDisk {
			api.ServeHTTP(w, r)
			return
		}
		s.config.Logger.Warn("refused a request because the disk is nearly full", "percent", int(used))
		gateway.WriteError(w, http.StatusInsufficientStorage,
			fmt.Sprintf("The disk of this server is %d %% full. Nothing was changed; try again once less than %d %% is used.", int(used), fullDisk))
	})
}

// needsSpace reports whether a request may store something.
func needsSpace(r *http.Request) bool {
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		return !strings.HasSuffix(r.URL.Path, "/cancel")
	}
	return false
}
