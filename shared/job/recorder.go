package job

import "context"

// Recorder counts and logs transitions, and tells the outside of those that it
// waits for. It is called after the transition's transaction has committed.
type Recorder interface {
	Record(ctx context.Context, j *Job, from, to Status)
}
