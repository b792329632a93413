package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// assets returns the keys of the files that the CDK uploads for the stage, by their bucket. Their keys
// are hashes of their content.
func (s settings) assets() (map[string][]string, error) {
	manifests, err := filepath.Glob(filepath.Join(s.assembly, "loadbay-"+s.stageName()+"-*.assets.json"))
	if err != nil {
		return nil, err
	}
	keys := make(map[string][]string)
	place := strings.NewReplacer("${AWS::AccountId}", s.account, "${AWS::Region}", s.region)
	for _, manifest := range manifests {
		text, err := os.ReadFile(manifest)
		if err != nil {
			return nil, err
		}
		var content struct {
			Files map[string]struct {
				Destinations map[string]struct{ BucketName, ObjectKey string }
			}
		}
		if err := json.Unmarshal(text, &content); err != nil {
			return nil, fmt.Errorf("%s: %w", manifest, err)
		}
		for _, file := range content.Files {
			for _, d := range file.Destinations {
				bucket := place.Replace(d.BucketName)
				keys[bucket] = append(keys[bucket], d.ObjectKey)
			}
		}
	}
	return keys, nil
}

// versionsCommand lists the versions of the objects of a bucket: key, version and time in a line each.
func (s settings) versionsCommand(bucket string) command {
	return command{quiet: true, args: []string{
		"aws", "s3api", "list-object-versions", "--region", s.region, "--bucket", bucket, "--query", "Versions[].[Key,VersionId,LastModified]", "--output", "text",
	}}
}

func (s settings) deleteVersionCommand(bucket, key, version string) command {
	return command{quiet: true, args: []string{"aws", "s3api", "delete-object", "--region", s.region, "--bucket", bucket, "--key", key, "--version-id", version}}
}

// removeAssets deletes the files that the CDK has uploaded for the stage since a time. Files with the
// same content that other stages use are older: the CDK uploads none twice.
func removeAssets(ctx context.Context, s settings, since time.Time, run runner) error {
	assets, err := s.assets()
	if err != nil {
		return fmt.Errorf("read what was uploaded: %w", err)
	}
	var errs []error
	for bucket, keys := range assets {
		list, err := run(ctx, s.versionsCommand(bucket))
		if err != nil {
			errs = append(errs, fmt.Errorf("list the files in %s: %w", bucket, err))
			continue
		}
		for line := range strings.Lines(list) {
			fields := strings.Fields(line)
			if len(fields) != 3 || !slices.Contains(keys, fields[0]) {
				continue
			}
			uploaded, err := time.Parse(time.RFC3339, fields[2])
			if err == nil && uploaded.Before(since) {
				continue
			}
			if err == nil {
				_, err = run(ctx, s.deleteVersionCommand(bucket, fields[0], fields[1]))
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s/%s remains: %w", bucket, fields[0], err))
			}
		}
	}
	return errors.Join(errs...)
}
