package job

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/job/object"
)

// ObjectVersion is the file that the import is about.
func (j *Job) ObjectVersion() object.Version {
	return object.Version{Key: j.ObjectKey, Size: j.SizeBytes, ETag: j.ObjectETag}
}

// ChunkFile is the file that a chunk is in: the source, or an object of its own.
func (j *Job) ChunkFile(c *Chunk) object.Version {
	if c.Key == j.ObjectKey {
		return j.ObjectVersion()
	}
	return object.Version{Key: c.Key, Size: c.Length}
}

// ChunksPrefix is where the objects with cut rows of the job stand.
func (j *Job) ChunksPrefix() string { return fmt.Sprintf("chunks/%d/%s/", j.OrganisationID, j.ID) }

// ChunkKey is the object of one chunk.
func (j *Job) ChunkKey(index int) string { return fmt.Sprintf("%s%06d", j.ChunksPrefix(), index) }
