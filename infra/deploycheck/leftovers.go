package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// runner runs a command. The output of a quiet command is returned, that of others shown.
type runner func(ctx context.Context, c command) (output string, err error)

// taggedCommand lists the ARNs of what has the tags of the stage.
func (s settings) taggedCommand() command {
	return command{quiet: true, args: []string{
		"aws", "resourcegroupstaggingapi", "get-resources", "--region", s.region,
		"--tag-filters", "Key=service,Values=loadbay", "Key=stage,Values=" + s.stageName(), "--query", "ResourceTagMappingList[].ResourceARN", "--output", "text",
	}}
}

// logGroupsCommand lists the names of all log groups.
func (s settings) logGroupsCommand() command {
	return command{quiet: true, args: []string{"aws", "logs", "describe-log-groups", "--region", s.region, "--query", "logGroups[].logGroupName", "--output", "text"}}
}

// resources returns the ARNs of what belongs to the stage: by its tags, and log groups also by their
// names, because services that still write create them again, without tags.
func (s settings) resources(ctx context.Context, run runner) (map[string]bool, error) {
	tagged, err := run(ctx, s.taggedCommand())
	if err != nil {
		return nil, fmt.Errorf("list what has the stage's tags: %w", err)
	}
	logs, err := run(ctx, s.logGroupsCommand())
	if err != nil {
		return nil, fmt.Errorf("list the log groups: %w", err)
	}
	found := make(map[string]bool)
	for _, arn := range strings.Fields(tagged) {
		found[strings.TrimSuffix(arn, ":*")] = true
	}
	ours := regexp.MustCompile(`^/aws/(lambda|vendedlogs|vendedlogs/states|rds/instance|rds/cluster)/loadbay-(\S+-)?` + s.stageName() + `(-(data|service)-\S+|/\S+)?$|^/loadbay/` + s.stageName() + `/`)
	for _, name := range strings.Fields(logs) {
		if ours.MatchString(name) {
			found["arn:"+s.partition()+":logs:"+s.region+":"+s.account+":log-group:"+name] = true
		}
	}
	return found, nil
}

// partition is that of the region.
func (s settings) partition() string {
	switch {
	case strings.HasPrefix(s.region, "cn-"):
		return "aws-cn"
	case strings.HasPrefix(s.region, "us-gov-"):
		return "aws-us-gov"
	default:
		return "aws"
	}
}

// deletions are the arguments that delete a resource, by service and type: name is the rest of its
// ARN. Others disappear with the stacks.
var deletions = map[string]func(s settings, arn, name string) []string{
	"dynamodb/table": func(_ settings, arn, name string) []string {
		if strings.Contains(name, "/backup/") {
			return []string{"dynamodb", "delete-backup", "--backup-arn", arn}
		}
		return []string{"dynamodb", "delete-table", "--table-name", name}
	},
	"ecr/repository": func(_ settings, _, name string) []string {
		return []string{"ecr", "delete-repository", "--repository-name", name, "--force"}
	},
	"kms/key": func(_ settings, _, name string) []string {
		return []string{"kms", "schedule-key-deletion", "--key-id", name, "--pending-window-in-days", "7"}
	},
	"logs/log-group": func(_ settings, _, name string) []string {
		return []string{"logs", "delete-log-group", "--log-group-name", name}
	},
	"rds/auto-backup": func(_ settings, arn, _ string) []string {
		return []string{"rds", "delete-db-instance-automated-backup", "--db-instance-automated-backups-arn", arn}
	},
	"rds/cluster-snapshot": func(_ settings, _, name string) []string {
		return []string{"rds", "delete-db-cluster-snapshot", "--db-cluster-snapshot-identifier", name}
	},
	"rds/snapshot": func(_ settings, _, name string) []string {
		return []string{"rds", "delete-db-snapshot", "--db-snapshot-identifier", name}
	},
	"s3/": func(_ settings, _, name string) []string {
		return []string{"s3api", "delete-bucket", "--bucket", name}
	},
	"secretsmanager/secret": func(_ settings, arn, _ string) []string {
		return []string{"secretsmanager", "delete-secret", "--secret-id", arn, "--force-delete-without-recovery"}
	},
	"sqs/": func(s settings, _, name string) []string {
		domain := "amazonaws.com"
		if s.partition() == "aws-cn" {
			domain += ".cn"
		}
		return []string{"sqs", "delete-queue", "--queue-url", "https://sqs." + s.region + "." + domain + "/" + s.account + "/" + name}
	},
	"ssm/parameter": func(_ settings, _, name string) []string {
		if strings.Contains(name, "/") { // the ARN of /a/b ends in parameter/a/b
			name = "/" + name
		}
		return []string{"ssm", "delete-parameter", "--name", name}
	},
}

// deleteCommand returns the command that deletes a resource of the account and region, if a deletion of
// the stacks can leave it.
func (s settings) deleteCommand(arn string) (c command, ok bool) {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) < 6 || parts[3] != "" && parts[3] != s.region || parts[4] != "" && parts[4] != s.account {
		return c, false
	}
	kind, name := "", parts[5]
	if i := strings.IndexAny(name, ":/"); i >= 0 {
		kind, name = name[:i], name[i+1:]
	}
	arguments, ok := deletions[parts[2]+"/"+kind]
	if !ok || strings.HasPrefix(name, "rds:") { // an automatic snapshot goes with its database
		return c, false
	}
	return command{quiet: true, args: append(append([]string{"aws"}, arguments(s, arn, name)...), "--region", s.region)}, true
}

// errorCode finds the code in a message of the aws command.
var errorCode = regexp.MustCompile(`An error occurred \(([\w.]+)\)`)

// isGone reports whether a command failed because the resource is deleted, or a key waits for that.
// AWS lists tags of a deleted resource for some hours.
func isGone(err error) bool {
	m := errorCode.FindStringSubmatch(err.Error())
	return m != nil && (m[1] == "KMSInvalidStateException" || regexp.MustCompile(`NotFound|NoSuch|NonExistent|DoesNotExist`).MatchString(m[1]))
}

// removeLeftovers deletes what the stacks have left of the stage and was not there before, and shows
// what it cannot delete. Keys are last: the others are encrypted with them.
func removeLeftovers(ctx context.Context, s settings, before map[string]bool, run runner) error {
	found, err := s.resources(ctx, run)
	if err != nil {
		return err
	}
	isKey := func(arn string) bool { return strings.Contains(arn, ":kms:") }
	arns := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		switch {
		case isKey(a) == isKey(b):
			return strings.Compare(a, b)
		case isKey(a):
			return 1
		}
		return -1
	})
	var errs []error
	for _, arn := range arns {
		if before[arn] {
			continue
		}
		c, ok := s.deleteCommand(arn)
		if !ok {
			fmt.Println("still listed by AWS, which forgets deleted resources after some hours:", arn)
			continue
		}
		switch _, err := run(ctx, c); {
		case err == nil:
			fmt.Println("deleted:", arn)
		case !isGone(err):
			errs = append(errs, fmt.Errorf("%s remains: %w", arn, err))
		}
	}
	return errors.Join(errs...)
}

// showRemaining shows what a failed deletion of the stacks may have left.
func (s settings) showRemaining(ctx context.Context, before map[string]bool, run runner) error {
	found, err := s.resources(ctx, run)
	for _, arn := range slices.Sorted(maps.Keys(found)) {
		if !before[arn] {
			fmt.Println("remains:", arn)
		}
	}
	return err
}
