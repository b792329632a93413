package job

import "fmt"

// ChunksPrefix is where the objects with cut rows of the job stand.
func (j *Job) ChunksPrefix() string { return fmt.Sprintf("chunks/%d/%s/", j.OrganisationID, j.ID) }

// ChunkKey is the object of one chunk.
func (j *Job) ChunkKey(index int) string { return fmt.Sprintf("%s%06d", j.ChunksPrefix(), index) }
