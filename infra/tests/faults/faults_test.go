package faults

import (
	"strings"
	"syscall"
	"testing"

	"github.com/loadbay/loadbay/infra/tests/intercept"
)

// TestFaults injects each fault into one Loadbay, one after the other. The
// names are those of the table of faults.
func TestFaults(t *testing.T) {
	r := start(t)
	for _, fault := range []struct {
		name string
		test func(*testing.T, *harness)
		long bool // similar to another test: only in long runs
	}{
		{"a message delivered twice, in parallel", deliveredTwiceInParallel, false},
		{"a message delivered again after the end", redeliveredAfterEnd, false},
		{"chunks out of order, upsert", outOfOrderUpsert, false},
		{"chunks out of order, insert", outOfOrderInsert, false},
		{"crash before commit", crashBeforeCommit, false},
		{"crash after commit, before the message is deleted", crashAfterCommit, false},
		{"two last chunks at once", twoLastChunks, false},
		{"crash between the last commit and task success", crashBeforeTaskSuccess, false},
		{"crash after task success", crashAfterTaskSuccess, false},
		{"splitter crashes between parts of the ledger", splitterCrashesAtLedger(addChunksSQL, 2, 100), false},
		{"splitter crashes before the end of the ledger", splitterCrashesAtLedger(splitCompleteSQL, 1, manyChunks), true},
		{"splitter crashes between messages", splitterCrashesAtQueue, false},
		{"splitter crashes between chunk objects", splitterCrashesAtObjects, false},
		{"an attempt at waiting dies before its token is stored", olderWaitAttempt(false), false},
		{"an attempt at waiting dies after its token is stored", olderWaitAttempt(true), false},
		{"crash between a change of how the file is read and task success", crashBeforeReanalysis, false},
		{"crash between a decision and task success, when nothing is due", crashAfterDecision, false},
		{"an analysis that is made again dies before its commit", reanalysisCrashes(false), false},
		{"an analysis that is made again dies after its commit", reanalysisCrashes(true), false},
		{"a change of how the file is read against a confirmation", reanalyzeAgainstConfirm, false},
		{"a rehearsal dies before its commit", planCrashes("process", savePlanSQL, false), false},
		{"a rehearsal dies after its commit", planCrashes("process", savePlanSQL, true), true},
		{"the judgement of a plan dies before its commit", planCrashes("await", classifyPlanSQL, false), false},
		{"the judgement of a plan dies after its commit", planCrashes("await", classifyPlanSQL, true), false},
		{"crash between an approval and task success", crashBeforeApplying, false},
		{"a chunk of a plan dies before it is committed", planCrashes("process", saveChunkSQL, false), false},
		{"a chunk of a plan dies after it is committed", planCrashes("process", saveChunkSQL, true), false},
		{"a column added between plan and apply, and messages again", columnAddedBeforeApplying, false},
		{"a key taken between an approval and its chunk", keyTakenBeforeApply, false},
		{"an answer to an older attempt", completionOfOlderAttempt, false},
		{"Postgres is stopped mid-chunk", postgresRestarts(syscall.SIGINT), true},
		{"Postgres crashes mid-chunk", postgresRestarts(syscall.SIGKILL), false},
		{"the connection is lost mid-chunk", connectionLost(func(s *intercept.Statement) bool { return strings.Contains(s.SQL, advanceSQL) }, false), false},
		{"the connection is lost at the commit", connectionLost(isChunkCommit, false), true},
		{"the answer to the commit is lost", connectionLost(isChunkCommit, true), false},
		{"deadlock", deadlock, false},
		{"serialization failure, three times", serializationFailure(3, 1), false},
		{"serialization failure, more often", serializationFailure(5, 2), false},
		{"statement timeout", statementTimeout, false},
		{"a poison row", poisonRow, false},
		{"S3 503, twice", s3ReadFault("process", 2, 1, unavailableResponse), true},
		{"S3 503, more often", s3ReadFault("process", 4, 2, unavailableResponse), false},
		{"S3 503 for the splitter", s3ReadFault("split", 4, 1, unavailableResponse), true},
		{"S3 truncated", s3ReadFault("process", 1, 2, truncatedBody), false},
		{"S3 too short", s3ReadFault("process", 1, 2, shortBody), true},
		{"S3 wrong bytes", s3ReadFault("process", 1, 2, alteredBody), false},
		{"S3 slow", s3ReadFault("process", 1, 1, slowBody), false},
		{"a message in the DLQ", deadLetter, false},
		{"an export that dies until it is given up", exportCrashes, false},
		{"a fetch that dies until it is given up", fetchCrashes, false},
		{"StartExecution twice", startTwice, false},
		{"crash before StartExecution", crashBeforeStart, true},
		{"the API crashes before StartExecution", apiCrashesBeforeStart, false},
		{"the same Idempotency-Key at the same moment", sameKeyAtOnce, false},
		{"clock skew of 10 minutes", clockSkew, false},
		{"cancel against the last chunk: the chunk first", lastChunkBeforeCancel, false},
		{"cancel against the last chunk: cancel first", cancelBeforeLastChunk, false},
		{"cancel against the last chunk: a race", cancelAgainstLastChunk, false},
		{"purge against a resume", purgeAgainstResume, false},
		{"a whole file longer than the Lambda limit", wholeFileExceedsTimeout, false},
		{"a whole file whose invocation dies before its checkpoint", wholeFileCrashes(false), false},
		{"a whole file whose invocation dies after its checkpoint", wholeFileCrashes(true), true},
		{"an undo dies at each commit, before it", undoCrashes(false), false},
		{"an undo dies at each commit, after it", undoCrashes(true), false},
		{"an undo with retries dies at each commit, before it", combinedUndoCrashes(false), false},
		{"an undo with retries dies at each commit, after it", combinedUndoCrashes(true), false},
		{"purge against undo", purgeAgainstUndo, false},
		{"a column added between import and undo", columnAddedBeforeUndo, false},
	} {
		if fault.long && !runsLongTests() {
			continue
		}
		for range *rounds {
			if !t.Run(fault.name, func(t *testing.T) { fault.test(t, r) }) {
				return // a failed test may affect the following ones
			}
		}
	}
}
