//go:build !js

package problem

// Code built for a browser answers no requests, so it omits net/http, which is larger than
// the rest of the reader.
import "net/http"

// statusByCode is the only mapping of codes to HTTP statuses. Absent codes describe files and
// rows; a request that returns one has status 422.
var statusByCode = map[Code]int{
	Internal:              http.StatusInternalServerError,
	BadRequest:            http.StatusBadRequest,
	BadJSON:               http.StatusBadRequest,
	ParameterInvalid:      http.StatusBadRequest,
	Unauthorized:          http.StatusUnauthorized,
	OrgRequired:           http.StatusForbidden,
	OrgInactive:           http.StatusForbidden,
	OrgDeleted:            http.StatusForbidden,
	ScopeRequired:         http.StatusForbidden,
	NotFound:              http.StatusNotFound,
	MethodNotAllowed:      http.StatusMethodNotAllowed,
	MappingIncomplete:     http.StatusNotAcceptable,
	StillRunning:          http.StatusConflict,
	StateConflict:         http.StatusConflict,
	PlanChanged:           http.StatusConflict,
	ApprovalByOther:       http.StatusForbidden,
	ExecutionTooOld:       http.StatusConflict,
	UploadMissing:         http.StatusConflict,
	FileRepeated:          http.StatusConflict,
	EntityExists:          http.StatusConflict,
	SourceChanged:         http.StatusGone,
	Gone:                  http.StatusGone,
	SourceGone:            http.StatusGone,
	UndoDone:              http.StatusConflict,
	UndoRunning:           http.StatusConflict,
	UndoExpired:           http.StatusConflict,
	UndoNothing:           http.StatusConflict,
	PreviewRequired:       http.StatusConflict,
	PreviewTooLarge:       http.StatusConflict,
	FileTooLarge:          http.StatusRequestEntityTooLarge,
	BodyTooLarge:          http.StatusRequestEntityTooLarge,
	ResponseTooLarge:      http.StatusInternalServerError,
	ExportTooLarge:        http.StatusRequestEntityTooLarge,
	MediaTypeInvalid:      http.StatusUnsupportedMediaType,
	FilenameInvalid:       http.StatusBadRequest,
	FileEmpty:             http.StatusBadRequest,
	ImportTypeUnknown:     http.StatusBadRequest,
	ContextInvalid:        http.StatusUnprocessableEntity,
	ModeInvalid:           http.StatusBadRequest,
	OptionInvalid:         http.StatusBadRequest,
	IdempotencyInFlight:   http.StatusConflict,
	IdempotencyKeyInvalid: http.StatusBadRequest,
	TooManyRequests:       http.StatusTooManyRequests,
	QuotaOpenImports:      http.StatusTooManyRequests,
	QuotaAnnouncedBytes:   http.StatusTooManyRequests,
	QuotaOpenExports:      http.StatusTooManyRequests,
	QuotaStreams:          http.StatusTooManyRequests,
	QuotaRequests:         http.StatusTooManyRequests,
	Unavailable:           http.StatusServiceUnavailable,
	DeclarationTooLarge:   http.StatusRequestEntityTooLarge,
	TypeRetired:           http.StatusConflict,
	TypeNotInstalled:      http.StatusNotFound,
	TableNotAdoptable:     http.StatusUnprocessableEntity,
	TableChanged:          http.StatusConflict,
	TableNotAllowed:       http.StatusForbidden,
	VersionChanged:        http.StatusPreconditionFailed,
	VersionRequired:       http.StatusPreconditionRequired,
}

// Status is the HTTP status of a response that carries the code.
func (c Code) Status() int {
	if s, ok := statusByCode[c]; ok {
		return s
	}
	return http.StatusUnprocessableEntity
}
