package wire

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/intake"
	"github.com/loadbay/loadbay/shared/step/drop"
)

// objectCreated is the detail of EventBridge's "Object Created". Keys stand in
// it as they are, unlike in S3's own notifications.
//
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
type objectCreated struct {
	Object struct {
		Key  string `json:"key"`
		Size int64  `json:"size"`
	} `json:"object"`
}

// Drop builds the drop function.
func Drop(ctx context.Context, env *Environment) (Handler[events.CloudWatchEvent, Nothing], error) {
	var c struct {
		Database databaseSettings
		Bucket   bucketSettings
		Workflow workflowSettings
		Intake   intakeSettings
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	accepting, err := intake.New(db, uploads{c.Bucket.store(cfg)}, c.Workflow.workflow(cfg), nil, env.transitions(), c.Intake.limits(), env.Log)
	if err != nil {
		return nil, err
	}
	step := drop.New(accepting, env.Log)
	return func(ctx context.Context, e events.CloudWatchEvent) (Nothing, error) {
		var detail objectCreated
		if err := json.Unmarshal(e.Detail, &detail); err != nil {
			return Nothing{}, fmt.Errorf("event %s is no object event: %w", e.ID, err)
		}
		if detail.Object.Key == "" {
			return Nothing{}, fmt.Errorf("event %s of type %q names no object", e.ID, e.DetailType)
		}
		return Nothing{}, step.Run(ctx, drop.Object{Key: detail.Object.Key, Size: detail.Object.Size})
	}, nil
}
