package provision

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// createBus creates the bus and the rules that send its events to queues.
func (p *Provisioner) createBus(ctx context.Context, r *Resources) error {
	r.EventBus = p.blueprint.EventBus.Name
	if _, err := p.events.CreateEventBus(ctx, &eventbridge.CreateEventBusInput{Name: &r.EventBus}); err != nil {
		return fmt.Errorf("event bus %s: %w", r.EventBus, err)
	}
	for _, rule := range p.blueprint.EventBus.Rules {
		pattern := map[string]any{"source": []string{rule.Source}}
		if err := p.createRule(ctx, &r.EventBus, rule.Name, pattern, r.QueueARNs[rule.Queue]); err != nil {
			return err
		}
	}
	return nil
}

// createRule sends events of a bus (nil is the account's default bus) to a target.
func (p *Provisioner) createRule(ctx context.Context, bus *string, name string, pattern map[string]any, target string) error {
	text, err := json.Marshal(pattern)
	if err != nil {
		return fmt.Errorf("rule %s: %w", name, err)
	}
	if _, err := p.events.PutRule(ctx, &eventbridge.PutRuleInput{Name: &name, EventBusName: bus, EventPattern: aws.String(string(text))}); err != nil {
		return fmt.Errorf("rule %s: %w", name, err)
	}
	_, err = p.events.PutTargets(ctx, &eventbridge.PutTargetsInput{
		Rule: &name, EventBusName: bus, Targets: []types.Target{{Id: aws.String("target"), Arn: &target}},
	})
	if err != nil {
		return fmt.Errorf("add target of rule %s: %w", name, err)
	}
	return nil
}

// objectEventPattern matches the events of a bucket's objects under a prefix.
func objectEventPattern(bucket string, e blueprint.ObjectEvent) map[string]any {
	return map[string]any{
		"source": []string{"aws.s3"}, "detail-type": []string{"Object Created"},
		"detail": map[string]any{
			"bucket": map[string]any{"name": []string{bucket}},
			"object": map[string]any{"key": []any{map[string]any{"prefix": e.Prefix}}},
		},
	}
}
