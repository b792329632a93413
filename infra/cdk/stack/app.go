// Package stack turns the blueprint into AWS resources, in two stacks: Data, with everything
// that must outlive a deployment (key, network, database, bucket, table), and Service, with
// everything that can be recreated from the repository (queues, functions, workflow, API,
// schedules, monitoring).
//
// Each concern has its own file. The permissions of a function are generated only from its
// grants in the blueprint (permissions.go).
package stack

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// NewApp returns an app that writes its cloud assembly to outdir.
func NewApp(outdir string) awscdk.App {
	return awscdk.NewApp(&awscdk.AppProps{
		Outdir:             jsii.String(outdir),
		AnalyticsReporting: jsii.Bool(false),
		PostCliContext:     featureFlags(),
	})
}

// featureFlags are the feature flags and metadata switches that the templates rely on. They are
// not in cdk.json, because only the CLI reads that file, and the templates must be the same
// without it.
func featureFlags() *map[string]any {
	return &map[string]any{
		// sam local finds a function's code and name in this metadata.
		"aws:cdk:enable-path-metadata":  true,
		"aws:cdk:enable-asset-metadata": true,

		"@aws-cdk/aws-iam:minimizePolicies":                true,
		"@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy":  true,
		"@aws-cdk/aws-rds:databaseProxyUniqueResourceName": true,
		"@aws-cdk/aws-kms:aliasNameRef":                    true,
		"@aws-cdk/core:checkSecretUsage":                   true,
		"@aws-cdk/core:defaultCrossStackReferences":        "strong",
	}
}

// Build adds both stacks of one stage to the app. It rejects an invalid blueprint and functions
// that are not built.
func Build(app awscdk.App, s Settings, b *blueprint.Blueprint) error {
	if err := b.Validate(); err != nil {
		return err
	}
	if err := checkAssets(s, b); err != nil {
		return err
	}
	data := newData(app, s, b)
	if err := newService(app, s, b, data); err != nil {
		return err
	}
	addTags(app, "service", "loadbay")
	addTags(app, "stage", s.stageName())
	return nil
}

func checkAssets(s Settings, b *blueprint.Blueprint) error {
	for _, f := range b.Functions {
		if _, err := os.Stat(filepath.Join(s.Assets, f.Name, "bootstrap")); err != nil {
			return fmt.Errorf("function %s is not built (make build-lambda): %w", f.Name, err)
		}
	}
	return nil
}

// addTags tags all resources for cost allocation. Dashboards are excluded: they have no tags in
// the resource specification that cfn-lint checks against.
func addTags(app awscdk.App, key, value string) {
	awscdk.Tags_Of(app).Add(jsii.String(key), jsii.String(value), &awscdk.TagProps{
		ExcludeResourceTypes: jsii.Strings("AWS::CloudWatch::Dashboard"),
	})
}

func newStack(app awscdk.App, s Settings, part, description string) awscdk.Stack {
	name := jsii.String(StackName(s.stageName(), part))
	props := &awscdk.StackProps{
		StackName:             name,
		Description:           jsii.String(description),
		TerminationProtection: jsii.Bool(s.Stage.RetainData),
	}
	if s.PermissionsBoundary != "" {
		props.PermissionsBoundary = awscdk.PermissionsBoundary_FromName(jsii.String(s.PermissionsBoundary))
	}
	return awscdk.NewStack(app, name, props)
}

// The stacks of a stage.
const (
	DataPart    = "data"
	ServicePart = "service"
)

// StackName returns the name of a stage's stack and, with ".template.json", of its template in
// the cloud assembly.
func StackName(stage, part string) string {
	return "loadbay-" + stage + "-" + part
}
