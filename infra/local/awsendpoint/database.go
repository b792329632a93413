package awsendpoint

import (
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// openTimeout is how long OpenDatabase waits for another stack on the folder.
const openTimeout = 2 * time.Second

// OpenDatabase opens the file that all services share. Nothing is flushed to
// the disk: what was written survives the death of the process at any moment,
// and not that of the operating system.
func OpenDatabase(path string) (*bbolt.DB, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout:        openTimeout,
		NoSync:         true,
		NoGrowSync:     true,
		NoFreelistSync: true, // found again on opening; half of what a small transaction writes
		FreelistType:   bbolt.FreelistMapType,
	})
	if err != nil {
		return nil, fmt.Errorf("open %s (does another stack run on it?): %w", path, err)
	}
	return db, nil
}
