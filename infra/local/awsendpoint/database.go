package awsendpoint

import (
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// openTimeout is the time that OpenDatabase waits for another stack in the folder.
const openTimeout = 2 * time.Second

// OpenDatabase opens the file that all services share. It does not sync to the disk: writes
// survive a crash of the process, but not of the operating system.
func OpenDatabase(path string) (*bbolt.DB, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout:        openTimeout,
		NoSync:         true,
		NoGrowSync:     true,
		NoFreelistSync: true, // rebuilt when the file is opened; saves half of the bytes of a small transaction
		FreelistType:   bbolt.FreelistMapType,
	})
	if err != nil {
		return nil, fmt.Errorf("open %s (is it used by another stack?): %w", path, err)
	}
	return db, nil
}
