package wire

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/step/drop"
	"github.com/loadbay/loadbay/shared/submit"
)

// objectCreated is the detail of EventBridge's "Object Created". Keys stand in
// it as they are, unlike in S3's own notifications.
//
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
type objectCreated struct {
	Object struct {
		Key       string `json:"key"`
		Size      int64  `json:"size"`
		ETag      string `json:"etag"`
		Sequencer string `json:"sequencer"`
	} `json:"object"`
}

// Drop builds the drop function.
func Drop(ctx context.Context, env *Environment) (Handler[events.CloudWatchEvent, Nothing], error) {
	var c struct {
		Database databaseSettings
		Bucket   bucketSettings
		Workflow workflowSettings
		Intake   submit.Limits
		Events   eventsSettings
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	bucket := c.Bucket.store(cfg)
	accepting, err := submit.New(db, uploads{bucket}, c.Workflow.workflow(cfg), nil, env.announcer(cfg, db, c.Events), c.Intake, env.Log)
	if err != nil {
		return nil, err
	}
	step := drop.New(accepting, dropped{bucket}, catalog.New(), env.Log)
	return func(ctx context.Context, e events.CloudWatchEvent) (Nothing, error) {
		var detail objectCreated
		if err := json.Unmarshal(e.Detail, &detail); err != nil {
			return Nothing{}, fmt.Errorf("event %s is no object event: %w", e.ID, err)
		}
		if detail.Object.Key == "" {
			return Nothing{}, fmt.Errorf("event %s of type %q names no object", e.ID, e.DetailType)
		}
		return Nothing{}, step.Run(ctx, drop.Object(detail.Object))
	}, nil
}

// dropped is the bucket as the drop folder sees it.
type dropped struct{ files }

// Head returns what is known of an object.
func (d dropped) Head(ctx context.Context, key string) (drop.Info, error) {
	info, err := d.files.Head(ctx, key)
	return drop.Info(info), err
}
