package job

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/job/object"
)

// ObjectVersion returns the version of the file that the job imports.
func (j *Job) ObjectVersion() object.Version {
	return object.Version{Key: j.ObjectKey, Size: j.SizeBytes, ETag: j.ObjectETag}
}

// ChunkFile returns the file that contains a chunk: the source, or an object of its own.
func (j *Job) ChunkFile(c *Chunk) object.Version {
	if c.Key == j.ObjectKey {
		return j.ObjectVersion()
	}
	return object.Version{Key: c.Key, Size: c.Length}
}

// ChunksPrefix is the key prefix of the job's chunk objects.
func (j *Job) ChunksPrefix() string { return fmt.Sprintf("chunks/%d/%s/", j.OrganisationID, j.ID) }

// ChunkKey is the key of one chunk's object.
func (j *Job) ChunkKey(index int) string { return fmt.Sprintf("%s%06d", j.ChunksPrefix(), index) }

// StoredFile is an original file of an organisation.
type StoredFile struct {
	ID   ID     // of the import, or of the file in quarantine
	Name string // as its sender named it
	object.Version
}
