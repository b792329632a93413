package job

import "context"

// Recorder counts and logs transitions, and publishes their events. It is called after the
// transition's transaction has committed.
type Recorder interface {
	Record(ctx context.Context, j *Job, from, to Status)
}
