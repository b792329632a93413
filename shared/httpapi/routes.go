package httpapi

import (
	"net/http"
	"slices"

	"github.com/loadbay/loadbay/shared/httpapi/reference"
	"github.com/loadbay/loadbay/shared/output/export"
)

// The scopes of a caller's token.
const (
	scopeImportsRead  = "imports:read"
	scopeImportsWrite = "imports:write"
	// The person who approves a plan may be another than the one who created it.
	scopeImportsApprove = "imports:approve"
	scopeExportsRead    = "exports:read"
	scopeExportsWrite   = "exports:write"
	// Webhooks have separate scopes: the secret permits forging messages, and the address receives
	// messages about every import.
	scopeWebhooksRead  = "webhooks:read"
	scopeWebhooksWrite = "webhooks:write"
	// Settings apply to all imports of an organisation, so importing does not include changing them.
	scopeSettingsWrite = "settings:write"
	// The export and deletion of the whole organisation, with everything that anybody may read.
	scopeOrganisationWrite = "organisation:write"
	// A declared type determines which table imports write.
	scopeTypesRead  = "types:read"
	scopeTypesWrite = "types:write"
)

// handler responds to a request, or returns an error for the response.
type handler func(w http.ResponseWriter, r *http.Request) error

// route is one operation of the API. A route without a scope is public.
type route struct {
	method, path, scope string
	do                  handler
}

// routes lists all operations.
func (a *api) routes() []route {
	routes := []route{
		{"GET", "/health", "", newHealth(a.Health, a.Version, a.Log).serve},
		{"GET", "/openapi.yaml", "", a.serveOpenAPI},
		{"GET", "/docs", "", a.serveReference},
		{"GET", "/redoc.js", "", reference.WriteScript},
		{"GET", "/api/auth", "", withoutQuery(a.getAuth)},
		{"GET", problemPath + "{code}", "", withoutQuery(a.getProblem)},

		{"GET", "/api/me", scopeImportsRead, withoutQuery(a.getMe)},
		{"GET", "/api/quotas", scopeImportsRead, withoutQuery(a.getQuotas)},
		{"GET", "/api/settings", scopeImportsRead, withoutQuery(a.getSettings)},
		{"PATCH", "/api/settings", scopeSettingsWrite, withoutQuery(a.patchSettings)},
		{"GET", "/api/contexts", scopeImportsRead, a.listContexts},
		{"GET", "/api/settings/points-calculators", scopeImportsRead, withoutQuery(a.getCalculators)},
		{"PUT", "/api/settings/points-calculators", scopeSettingsWrite, withoutQuery(a.putCalculators)},
		{"GET", "/api/references/{field}", scopeImportsRead, a.listReferences},
		{"GET", "/api/import-types", scopeImportsRead, withoutQuery(a.listTypes)},
		{"POST", "/api/import-types/guess", scopeImportsRead, withoutQuery(a.guessType)},
		{"GET", "/api/import-types/{type}/template.xlsx", scopeImportsRead, a.getTemplate},
		{"GET", "/api/entities/{type}/{entityKey}/history", scopeImportsRead, a.entityHistory},
		{"DELETE", "/api/admin/organisations/{organisationId}/persons/{personKey}", scopeOperator, withoutQuery(a.erasePerson)},
		{"DELETE", "/api/admin/organisations/{organisationId}/imports/{importId}", scopeOperator, withoutQuery(a.operatorCancelImport)},
		{"DELETE", "/api/admin/organisations/{organisationId}/exports/{exportId}", scopeOperator, withoutQuery(a.operatorCancelExport)},
		{"POST", "/api/imports", scopeImportsWrite, withoutQuery(a.createImport)},
		{"GET", "/api/imports", scopeImportsRead, a.listImports},
		{"GET", "/api/imports/{importId}", scopeImportsRead, a.getImport},
		{"DELETE", "/api/imports/{importId}", scopeImportsWrite, a.deleteImport},
		{"GET", "/api/imports/{importId}/upload", scopeImportsWrite, withoutQuery(a.getUpload)},
		{"POST", "/api/imports/{importId}/upload/complete", scopeImportsWrite, a.completeUpload},
		{"GET", "/api/imports/{importId}/preview", scopeImportsRead, a.previewSource},
		{"PATCH", "/api/imports/{importId}/source", scopeImportsWrite, withoutQuery(a.reanalyzeImport)},
		{"GET", "/api/imports/{importId}/column-mappings", scopeImportsRead, a.listColumns},
		{"PUT", "/api/imports/{importId}/column-mappings", scopeImportsWrite, withoutQuery(a.decideColumns)},
		{"POST", "/api/imports/{importId}/column-mappings/confirm", scopeImportsWrite, withoutQuery(a.confirmColumns)},
		{"GET", "/api/imports/{importId}/mapping", scopeImportsRead, withoutQuery(a.getMapping)},
		{"PUT", "/api/imports/{importId}/mapping", scopeImportsWrite, withoutQuery(a.putMapping)},
		{"POST", "/api/imports/{importId}/mapping/preview", scopeImportsWrite, a.previewMapping},
		{"GET", "/api/imports/{importId}/cell-mappings", scopeImportsRead, a.listCells},
		{"PUT", "/api/imports/{importId}/cell-mappings", scopeImportsWrite, withoutQuery(a.decideCells)},
		{"GET", "/api/imports/{importId}/cell-mappings/candidates", scopeImportsRead, a.listCandidates},
		{"POST", "/api/imports/{importId}/cell-mappings/confirm", scopeImportsWrite, withoutQuery(a.confirmCells)},
		{"POST", "/api/imports/{importId}/start", scopeImportsWrite, withoutQuery(a.startImport)},
		{"GET", "/api/imports/{importId}/source", scopeImportsRead, withQuery(a.getSource, parameterRedirect)},
		{"GET", "/api/imports/{importId}/results", scopeImportsRead, a.listResults},
		{"GET", "/api/imports/{importId}/results/summary", scopeImportsRead, withoutQuery(a.summariseResults)},
		{"POST", "/api/imports/{importId}/apply", scopeImportsApprove, withoutQuery(a.applyPlan)},
		{"GET", "/api/imports/{importId}/changes", scopeImportsRead, a.listChanges},
		{"GET", "/api/imports/{importId}/stale", scopeImportsRead, a.listStale},
		{"GET", "/api/imports/{importId}/changes/summary", scopeImportsRead, a.summariseChanges},
		{"GET", "/api/imports/{importId}/changes.ndjson", scopeImportsRead, a.downloadChanges(export.NDJSON)},
		{"GET", "/api/imports/{importId}/changes.xlsx", scopeImportsRead, a.downloadChanges(export.XLSX)},
		{"POST", "/api/imports/{importId}/undo", scopeImportsWrite, a.undoImport},
		{"GET", "/api/imports/{importId}/errors.xlsx", scopeImportsRead, withQuery(a.getErrorWorkbook, parameterRedirect, "lang")},

		{"POST", "/v1/imports", scopeImportsWrite, withoutQuery(a.createImportV1)},
		{"GET", "/v1/imports", scopeImportsRead, a.listImportsV1},
		{"GET", "/v1/imports/{importId}", scopeImportsRead, withoutQuery(a.getImportV1)},
		{"GET", "/v1/imports/{importId}/errors", scopeImportsRead, a.listErrorsV1},
		{"POST", "/v1/imports/{importId}/cancel", scopeImportsWrite, withoutQuery(a.cancelImportV1)},
	}
	return slices.Concat(routes, a.rowRoutes(), a.keyRoutes(), a.organisationRoutes(), a.profileRoutes(), a.pastAnswerRoutes(), a.typeRoutes(), a.tableRoutes(), a.webhookRoutes(), a.quarantineRoutes(), a.facadeRoutes(), a.batchRoutes(), a.exportRoutes(), a.exportJobRoutes())
}
