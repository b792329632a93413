package grants

import (
	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/iam"
)

// Reasons for permissions that no suite uses. The functions' packages test the code
// that needs them against real services, but without roles.
const (
	largeUploads         = "a file above 100 MB comes in parts, which only their sender has counted"
	refusedKeys          = "an Idempotency-Key is given back when its request is refused"
	largeWorkbooks       = "an error workbook that is too large for an answer is written beside the exports"
	cutWorkbooks         = "the rows of a workbook stand in objects of their own"
	invalidFiles         = "what was cut of a workbook that turns out to be damaged is deleted"
	failedWriting        = "an upload in parts is given up when what was to be written fails half-way"
	tooLarge             = "a file that is larger than its job allows fails the job when it arrives"
	byLambda             = "Lambda hands over what the function has refused for good; the stack's own test does it"
	dropped              = "a file of any type can come through the drop folder"
	newValues            = "rows whose values nobody has mapped bring the import back to a person"
	lostWork             = "what a process left that died between two steps is found after minutes; make test-faults has them"
	replacedFiles        = "the reason of a file that was replaced while it was put aside is taken back"
	overQuota            = "a dropped file beyond a quota waits in the queue"
	lateUploads          = "a file that arrives after its import was cancelled is deleted"
	noOtherHost          = "files are fetched from public addresses only, and there are none on one machine"
	failureNotifications = "a message that failed, but did not kill its function, comes back sooner"
)

// reasons are listed by role, action, and resource or, in the bucket, prefix.
var reasons = []struct {
	role   string
	action blueprint.Action
	on     blueprint.Grant
	reason string
}{
	{"api", "s3:ListMultipartUploadParts", objectARN(blueprint.UploadsPrefix), largeUploads},
	{"api", "dynamodb:DeleteItem", blueprint.Grant{Resource: blueprint.OnTable}, refusedKeys},
	{"api", "s3:GetObject", objectARN(blueprint.ChunksPrefix), cutWorkbooks},
	{"api", "s3:PutObject", objectARN(blueprint.ExportsPrefix), largeWorkbooks},
	{"api", "s3:AbortMultipartUpload", objectARN(blueprint.ExportsPrefix), largeWorkbooks},
	{"drop", "events:PutEvents", blueprint.Grant{Resource: blueprint.OnEventBus}, tooLarge},
	{"drop", "s3:DeleteObject", objectARN(blueprint.QuarantinePrefix), replacedFiles},
	{"drop", "s3:DeleteObject", objectARN(blueprint.UploadsPrefix), lateUploads},
	{"drop", "sqs:SendMessage", queueARN(blueprint.ObjectsQueue), overQuota},
	{"drop", "sqs:ChangeMessageVisibility", queueARN(blueprint.ObjectsQueue), failureNotifications},
	{"enqueue", "sqs:SendMessage", queueARN(blueprint.EventsDeadLetters), byLambda},
	{"resolve", "s3:GetObject", objectARN(blueprint.DropPrefix), dropped},
	{"split", "s3:DeleteObject", objectARN(blueprint.ChunksPrefix), invalidFiles},
	{"process", "sqs:ChangeMessageVisibility", queueARN(blueprint.RowsQueue), failureNotifications},
	{"process", "events:PutEvents", blueprint.Grant{Resource: blueprint.OnEventBus}, newValues},
	{"wholefile", "s3:GetObject", objectARN(blueprint.DropPrefix), dropped},
	{"complete", "s3:AbortMultipartUpload", objectARN(blueprint.ResultsPrefix), failedWriting},
	{"fail", "s3:AbortMultipartUpload", objectARN(blueprint.ResultsPrefix), failedWriting},
	{"deadletter", "s3:GetObject", objectARN(blueprint.DropPrefix), dropped},
	{"deadletter", "s3:GetObject", objectARN(blueprint.ChunksPrefix), cutWorkbooks},
	{"ledger", "s3:AbortMultipartUpload", objectARN(blueprint.ResultsPrefix), failedWriting},
	{"reconcile", "events:PutEvents", blueprint.Grant{Resource: blueprint.OnEventBus}, lostWork},
	{"reconcile", "sqs:SendMessage", queueARN(blueprint.FetchesQueue), lostWork},
	{"reconcile", "s3:ListBucket", objectARN(""), lostWork},
	{"reconcile", "s3:GetObject", objectARN(blueprint.UploadsPrefix), lostWork},
	{"reconcile", "states:StartExecution", blueprint.Grant{Resource: blueprint.OnStateMachine}, lostWork},
	{"reconcile", "states:StopExecution", blueprint.Grant{Resource: blueprint.OnExecutions}, lostWork},
	{"ledger", "s3:ListBucket", objectARN(""), noOtherHost},
	{"ledger", "s3:GetObject", objectARN(blueprint.UploadsPrefix), noOtherHost},
	{"ledger", "states:StartExecution", blueprint.Grant{Resource: blueprint.OnStateMachine}, noOtherHost},
	{"fetch", "s3:PutObject", objectARN(blueprint.UploadsPrefix), noOtherHost},
	{"fetch", "s3:AbortMultipartUpload", objectARN(blueprint.UploadsPrefix), noOtherHost},
	{"fetch", "sqs:ChangeMessageVisibility", queueARN(blueprint.FetchesQueue), failureNotifications},
	{"fetch", "sqs:ChangeMessageVisibility", queueARN(blueprint.FetchesDeadLetters), failureNotifications},
	{"export", "s3:GetObject", objectARN(blueprint.DropPrefix), dropped},
	{"export", "s3:AbortMultipartUpload", objectARN(blueprint.ExportsPrefix), failedWriting},
	{"export", "sqs:ChangeMessageVisibility", queueARN(blueprint.ExportsQueue), failureNotifications},
	{"export", "sqs:ChangeMessageVisibility", queueARN(blueprint.ExportsDeadLetters), failureNotifications},
}

func objectARN(prefix string) blueprint.Grant {
	return blueprint.Grant{Resource: blueprint.OnBucket, ResourceName: prefix}
}

func queueARN(name string) blueprint.Grant {
	return blueprint.Grant{Resource: blueprint.OnQueue, ResourceName: name}
}

// explainedUses returns the reasons by use.
func explainedUses() map[iam.Use]string {
	b, all := blueprint.New(), map[iam.Use]string{}
	for _, r := range reasons {
		grant := blueprint.Function{Grants: []blueprint.Grant{r.on}}
		on := b.RolePolicy(grant, blueprint.LocalDeployment()).Statement[0].Resource[0]
		all[iam.Use{Role: r.role, Action: r.action, Allowed: true, Resource: on}] = r.reason
	}
	return all
}
