# Loadbay: `make help` lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help

FUNCTIONS := $(notdir $(patsubst %/,%,$(wildcard functions/*/)))
LOCAL  := bin/functions
LAMBDA := bin/lambda
# The same flags for local and deployed binaries: small and reproducible, without
# the RPC mode of Lambda's retired Go runtime.
FUNCTION_FLAGS := -trimpath -buildvcs=false -tags lambda.norpc
# Deployed functions and programs carry the version they are built from
# (shared/runtime/version). Local functions do not, so that a commit alone relinks nothing.
STAMP = $(or $(VERSION),$(shell git describe --tags --always --dirty --abbrev=12 2>/dev/null))
STAMPED = -X github.com/loadbay/loadbay/shared/runtime/version.stamped=$(STAMP)
# The packages of both modules of go.work, but not the CDK app, whose dependencies take minutes to compile.
MODULES := ./... ./client/...
PACKAGES = $$(go list $(MODULES) | grep -v /infra/cdk)
# tool NAME is the path of a development tool. They are pinned in a separate module, which go.work excludes;
# the tools themselves read the packages of go.work.
tool = $$(GOWORK=off go tool -modfile=.ci/tools/go.mod -n $(1))
# The race detector needs cgo and a C compiler.
RACE := $(shell [ "$$(go env CGO_ENABLED)" = 1 ] && command -v $$(go env CC) >/dev/null && echo -race)
NODE := $(shell command -v node)

.PHONY: help
help: ##run list the targets
	@for group in run test measure generate deploy release; do \
		printf '%s\n' "$$group" && awk -F ":.*##$$group " "/^[a-z-]+:.*##$$group /"' { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST); done

.PHONY: build
build: ##run build the functions, the local stack and the command line for this machine
	@$(call functions,$(LOCAL),$$(go env GOOS),$$(go env GOARCH),-s -w)
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w $(STAMPED)' -o bin/loadbay ./cmd/loadbay
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '$(STAMPED)' -o bin/loadbay-local ./cmd/loadbay-local

# The folder below which `make install` puts the command line, its man pages and completions.
PREFIX ?= /usr/local
.PHONY: install
install: ##run install the command line with its man pages and completions (PREFIX=/usr/local)
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w $(STAMPED)' -o bin/loadbay ./cmd/loadbay
	@rm -rf bin/manual && go run ./cmd/loadbay/internal/manual -version '$(STAMP)' bin/manual
	@install -d '$(PREFIX)/bin' '$(PREFIX)/share/man/man1' '$(PREFIX)/share/bash-completion/completions' '$(PREFIX)/share/zsh/site-functions' '$(PREFIX)/share/fish/vendor_completions.d'
	@install -m 755 bin/loadbay '$(PREFIX)/bin/'
	@install -m 644 bin/manual/man/man1/* '$(PREFIX)/share/man/man1/'
	@install -m 644 bin/manual/completions/loadbay.bash '$(PREFIX)/share/bash-completion/completions/loadbay'
	@install -m 644 bin/manual/completions/_loadbay '$(PREFIX)/share/zsh/site-functions/'
	@install -m 644 bin/manual/completions/loadbay.fish '$(PREFIX)/share/fish/vendor_completions.d/'

.PHONY: build-lambda
build-lambda: ##deploy build the functions for AWS (Linux, arm64)
	@$(call functions,$(LAMBDA),linux,arm64,-s -w $(STAMPED))

# functions DIR OS ARCH LDFLAGS builds DIR/<function>/bootstrap for each function. Go
# keeps DIR/.flat up to date; the links give each binary the name Lambda wants.
define functions
mkdir -p $(1)/.flat && \
CGO_ENABLED=0 GOOS=$(2) GOARCH=$(3) go build $(FUNCTION_FLAGS) -ldflags '$(4)' -o $(1)/.flat/ $(addprefix ./functions/,$(FUNCTIONS)) && \
for f in $(FUNCTIONS); do mkdir -p $(1)/$$f && ln -f $(1)/.flat/$$f $(1)/$$f/bootstrap; done
endef

.PHONY: postgres
postgres:
	@.ci/postgres install

.PHONY: run
run: postgres build console-if-node ##run run all of Loadbay on this machine
	@exec bin/loadbay-local run

.PHONY: upgrade-data
upgrade-data: postgres build ##run move the data in DATA_DIR to the installed version of PostgreSQL, or that of POSTGRES_BIN
	@exec bin/loadbay-local upgrade-data

# The console (console/) is built if Node.js is installed. The stack also runs without it.
CONSOLE_SOURCES := $(shell git ls-files console client/typescript 2>/dev/null)
console/node_modules/.package-lock.json: console/package-lock.json
	@cd console && npm ci --silent && touch node_modules/.package-lock.json

# The spreadsheet reader for the browser. The files are replaced only if their content changes.
READER := console/src/reader/reader.wasm.gz
FORCE:
$(READER): FORCE
	@mkdir -p bin && GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false -ldflags '-s -w' -o bin/reader.wasm ./console/reader
	@gzip -9nc bin/reader.wasm > bin/reader.wasm.gz && { cmp -s bin/reader.wasm.gz $@ || cp bin/reader.wasm.gz $@; }
	@cmp -s "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(@D)/wasm_exec.js || cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(@D)/

console/dist/index.html: console/node_modules/.package-lock.json $(CONSOLE_SOURCES) $(READER)
	@cd console && npm run --silent build -- --logLevel warn && touch dist/index.html

.PHONY: console
console: console/dist/index.html ##run build the web console (needs Node.js)

.PHONY: console-if-node
console-if-node:
	@if [ -n "$(NODE)" ]; then $(MAKE) --no-print-directory console; else echo "skipped: the console, which needs Node.js"; fi

.PHONY: console-dev
console-dev: console/node_modules/.package-lock.json $(READER) ##run serve the console with hot reload, using the stack of `make run` (LOADBAY_API=http://…)
	@cd console && npm run --silent dev

# The console uses the TypeScript client, which is published as a separate package.
client/typescript/node_modules/.package-lock.json: client/typescript/package-lock.json
	@cd client/typescript && npm ci --silent && touch node_modules/.package-lock.json

.PHONY: console-client
console-client: client/typescript/node_modules/.package-lock.json ##generate regenerate the TypeScript client from the OpenAPI description
	@cd client/typescript && npm run --silent generate

.PHONY: python-types
python-types: ##generate regenerate the types of the Python client from the OpenAPI description
	go test -count=1 ./infra/pythontypes -run TestPythonTypesAreCurrent -update

.PHONY: check-typescript-client
check-typescript-client: client/typescript/node_modules/.package-lock.json
	@cd client/typescript && npm run --silent generate:check && npm test --silent

.PHONY: check-console
check-console:
	@if [ -n "$(NODE)" ]; then $(MAKE) --no-print-directory check-typescript-client console && cd console && npm run --silent lint && npm run --silent budget && npm test --silent; \
	else echo "skipped: the console's checks, which need Node.js"; fi

.PHONY: chromium
chromium:
	@$(HAVE_CHROMIUM) || { if [ -n "$(NODE)" ] && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "Installing Chromium."; \
		DEBIAN_FRONTEND=noninteractive sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium' >/dev/null; fi; }
HAVE_CHROMIUM := { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null

# in-chromium COMMAND runs a command that needs a browser, or prints why it was skipped.
define in-chromium
@if [ -z "$(NODE)" ]; then echo "skipped: the console's tests, which need Node.js"; \
elif ! $(HAVE_CHROMIUM); then echo "skipped: the console's tests, which need Chromium"; \
else cd console && $(1); fi
endef

.PHONY: test-console
test-console: postgres build console-if-node chromium ##test run all browser tests of the console on a stack of their own (needs Node.js and Chromium)
	$(call in-chromium,npm run --silent test:browser)

# The browser tests that import a whole file are part of make test.
.PHONY: test-journeys
test-journeys: postgres build console-if-node chromium
	$(call in-chromium,npm run --silent test:browser -- --grep @journey)

.PHONY: images
images: postgres build console-if-node chromium ##generate regenerate the screenshots in docs/images by running the browser tests
	$(call in-chromium,PICTURES=docs npm run --silent test:browser)

.PHONY: admin-organisation
admin-organisation: build ##run create an organisation in the stack of `make run` (NAME='Harbour Athletics')
	@bin/loadbay-local organisation "$$NAME"

.PHONY: demo
demo: postgres build ##run import and export samples of every type and print the outcome of every row
	@exec bin/loadbay-local demo

.PHONY: bench
bench: postgres build ##measure compare imports end to end with psql's \copy (BENCH_ROWS=1000000)
	@exec bin/loadbay-local bench

.PHONY: load
load: postgres build ##measure import files of many organisations at once (LOAD_TENANTS=20 LOAD_FILES=5 LOAD_ROWS=1000000)
	@exec bin/loadbay-local load

.PHONY: bench-fair
bench-fair: postgres build ##measure import small files beside a hostile organisation, with each attack (FAIR_TENANTS=9 FAIR_FILES=5 FAIR_ATTACKS=patterns)
	@exec bin/loadbay-local bench-fair

.PHONY: bench-matrix
bench-matrix: postgres build ##measure measure all sizes, shapes, formats and modes (BENCH_ROWS=10000,100000,1000000)
	@BENCH_MATRIX=true BENCH_ROWS=$${BENCH_ROWS:-10000,100000,1000000} bin/loadbay-local bench

.PHONY: bench-guard
bench-guard: postgres ##measure fail if imports use more log, pages, statements or allocations than recorded (COSTS=-update records)
	go test -count=1 ./shared/step -run TestCostsDoNotGrow -v -guard $(COSTS)

.PHONY: bench-reader
bench-reader: ##measure compare the spreadsheet readers with encoding/csv and excelize
	go test ./shared/sheet/reader -run '^$$' -bench 'Reader$$' -benchtime 1x -timeout 60m -rows 200000,1000000
	go test ./shared/sheet/reader -run '^$$' -bench ReaderCores -benchtime 2x -timeout 60m -rows 1000000 -cpu 1,2
	go test ./shared/sheet/xls -run '^$$' -bench Reader -timeout 60m

.PHONY: bench-mapping
bench-mapping: ##measure fail if matching 50 columns and 200 rows takes more than 1.2 of the processor time of another commit (BASE=HEAD^)
	@base=$$(mktemp -d) && git worktree add -q --detach $$base $${BASE:-HEAD^} && trap "git worktree remove --force $$base" EXIT && \
	cp shared/mapping/wide_file_test.go $$base/shared/mapping/ && \
	for i in 1 2 3 4 5 6 7; do for at in $$base .; do \
		(cd $$at && go test -vet=off ./shared/mapping -run '^$$' -bench WideFile -benchtime 20x) | awk -v at=$$at '/cpu-ns/ {for (i = 2; i <= NF; i++) if ($$i == "cpu-ns/op") print at, $$(i-1)}'; \
	done; done | awk '!($$1 in best) || $$2 < best[$$1] {best[$$1] = $$2} \
		END {for (at in best) if (at != ".") {printf "%.2f of the time of the other commit\n", best["."] / best[at]; exit best["."] > 1.2 * best[at]}}'

.PHONY: bench-export
bench-export: postgres build ##measure export rows in every format and check the peak memory (EXPORT_ROWS=1000000)
	EXPORT_ROWS=$${EXPORT_ROWS:-1000000} go test -count=1 -timeout 60m -v -run TestExportMemory ./infra/tests/e2e

.PHONY: schema
schema: postgres ##generate add new migrations to migrations.sum and regenerate docs/schema.sql
	go test -count=1 ./migrations ./shared/postgres/schema -run 'TestMigrationsAreAppendOnly|TestDocumentMatchesSchema' -update

.PHONY: docs
docs: ##generate regenerate docs/cli.md from the commands
	go test -count=1 ./cmd/loadbay/internal/manual -run TestDocumentMatchesCommands -update
	go test -count=1 ./shared/problem -run TestErrorReference -update

.PHONY: recording
recording: postgres build ##generate run docs/tutorial.md in a terminal, and regenerate its recording and the README scene
	go test -count=1 ./infra/tests/cli -run TestTutorial -update

.PHONY: cost
cost: ##generate regenerate the tables of docs/cost.md from the templates and the price list (needs Node.js)
	go test -count=1 ./infra/cdk/stack -run TestCostTablesMatchTemplates -update

# The tool that predicts which resources an update of the templates replaces.
infra/cdk/upgrade/node_modules/.package-lock.json: infra/cdk/upgrade/package-lock.json
	@if [ -n "$(NODE)" ]; then cd infra/cdk/upgrade && npm ci --silent && touch node_modules/.package-lock.json; fi

.PHONY: upgrade-tools
upgrade-tools: infra/cdk/upgrade/node_modules/.package-lock.json

.PHONY: test-settings
test-settings: upgrade-tools ##test compare deployments with all pairs of values of two CDK settings, for updates that would fail or lose data (4 minutes; needs Node.js)
	go test -count=1 -v -timeout 30m ./infra/cdk/stack -run '^TestSettingsCanChange$$' -pairs

.PHONY: templates
templates: upgrade-tools ##release store the prod templates of a release as the baseline for upgrades (VERSION=v0.1.0; needs Node.js)
	go test -count=1 ./infra/cdk/stack -run TestUpdateReplacesNoDataResource -release '$(VERSION:v%=%)'

# Where the tests record the statements that they send.
STATEMENTS := $(CURDIR)/bin/statements
.PHONY: test-plans
test-plans: postgres ##test record statements in the tests and fail if one scans a large table that testdata/reads.txt does not list
	@rm -rf $(STATEMENTS) && mkdir -p $(STATEMENTS)
	POSTGRES_STATEMENTS=$(STATEMENTS) go test -count=1 -timeout 20m ./shared/postgres/... ./shared/entity/... ./shared/httpapi/... ./shared/step/... ./shared/changes/... ./shared/notify/...
	go test -count=1 ./shared/postgres -run 'TestStatementsUseIndexes|TestStatementsArePortable' -statements $(STATEMENTS)

# report COMMAND runs `go test -json`, and lists the tests that were not run, which go test does not.
report = set -o pipefail; $(1) | go run ./infra/testreport

.PHONY: test
test: postgres build upgrade-tools console-if-node ##test run all tests against real Postgres and the local AWS endpoint
	@rm -rf $(STATEMENTS) && mkdir -p $(STATEMENTS)
	$(call report,POSTGRES_STATEMENTS=$(STATEMENTS) go test $(RACE) -ldflags=-w -vet=off -shuffle=on -timeout 20m -json $(PACKAGES)) # make check vets
	go test -count=1 ./shared/postgres -run 'TestStatementsUseIndexes|TestStatementsArePortable' -statements $(STATEMENTS)
	@if [ -n "$(NODE)" ]; then go test -shuffle=on -timeout 20m ./infra/cdk/...; \
	else echo "skipped: the tests of infra/cdk, which need Node.js"; fi
	@$(MAKE) --no-print-directory test-journeys

# The packages with much SQL, and one end-to-end test, on the newest version. The rest of the tests would
# take CI too long: make test-versions runs them.
NEWEST := 18
NEWEST_PACKAGES := ./migrations ./shared/postgres/... ./shared/step/... ./shared/changes/... ./shared/entity/... ./shared/testing/pglaunch ./infra/tests/owntables ./infra/tests/faults
.PHONY: test-newest
test-newest: build ##test run the tests of database, steps, changes, types and faults, and an upgrade, on PostgreSQL 18 (at most 15 minutes; needs npm)
	@bin=$$(.ci/postgres bin $(NEWEST)) && export POSTGRES_BIN=$$bin && began=$$SECONDS && \
	{ $(call report,timeout 15m bash -c 'go test -vet=off -timeout 15m -json $(NEWEST_PACKAGES) && go test -vet=off -timeout 15m -json ./infra/tests/e2e -run "^(TestImports|TestDataMovesToNewerPostgres)$$"'); } && \
	echo "PostgreSQL $(NEWEST): passed in $$((SECONDS - began)) s"

VERSIONS ?= 15 16 17 18
.PHONY: test-versions
test-versions: ##test run all tests on each supported version of PostgreSQL (VERSIONS='15 16 17 18'; needs npm)
	@for version in $(VERSIONS); do bin=$$(.ci/postgres bin $$version) && POSTGRES_BIN=$$bin $(MAKE) --no-print-directory test || exit 1; done

.PHONY: test-short
test-short: postgres ##test run the tests that need neither built binaries nor a running stack
	go test -short $(PACKAGES)

# SEED, HISTORY and SEQUENCE (with its KIND) replay one seed and print its trace. `make test` runs some
# seeds for a limited time. WALKS is how often each list is read while it changes.
SEEDS ?= 5000
HISTORIES ?= 1000
SEQUENCES ?= 500
WALKS ?= 30
.PHONY: test-random
test-random: postgres ##test run random imports, histories and sequences (SEEDS=5000 HISTORIES=1000 SEQUENCES=500 WALKS=30), or replay one (SEED=n, HISTORY=n, SEQUENCE=n KIND=results)
	go test ./shared/testing/simulation -count=1 -timeout 600m -v -run '^($(if $(SEED),TestRandomImports,$(if $(HISTORY),TestRandomHistories,$(if $(SEQUENCE),TestRandomSequences,TestRandomImports|TestRandomHistories|TestRandomSequences))))$$' \
	  -args $(if $(SEED),-seed=$(SEED),$(if $(HISTORY),-history=$(HISTORY),$(if $(SEQUENCE),-sequence=$(SEQUENCE) -kind=$(KIND),-seeds=$(SEEDS) -histories=$(HISTORIES) -sequences=$(SEQUENCES))))
	$(if $(SEED)$(HISTORY)$(SEQUENCE),@true,go test ./shared/httpapi -count=1 -timeout 60m -run '^TestListsContinueAfterRandomChanges$$' -args -walks=$(WALKS))

.PHONY: test-moto
test-moto: postgres build ##test run the end-to-end suite and the state machine conformance tests on moto (needs moto_server)
	@command -v moto_server >/dev/null || { echo "moto_server is not on the PATH: pip install 'moto[server]'"; exit 1; }
	go test -count=1 -v -timeout 20m -run Moto ./infra/tests/anywhere ./infra/tests/conformance

.PHONY: test-localstack
test-localstack: postgres build-lambda ##test run the end-to-end suite in LocalStack (needs Docker and LOCALSTACK_AUTH_TOKEN)
	go test -count=1 -v -timeout 30m -run TestLocalStack ./infra/tests/anywhere

# FAULT_ROUNDS is the number of times each fault is injected.
FAULT_ROUNDS ?= 10
.PHONY: test-faults
test-faults: postgres build ##test inject every fault FAULT_ROUNDS times (10), including the slow ones
	go test $(RACE) -count=1 -v -timeout 120m ./infra/tests/faults -rounds $(FAULT_ROUNDS)

# The suites record the AWS calls of each function, which are compared with its permissions.
.PHONY: grants
grants: postgres build ##test list the IAM permissions that no suite uses
	@rm -f bin/uses.log
	IAM_USES=$(CURDIR)/bin/uses.log go test -count=1 -timeout 60m ./infra/tests/e2e ./infra/tests/faults ./infra/tests/inputs ./infra/tests/canary
	IAM_USES=$(CURDIR)/bin/uses.log go test -count=1 -v ./infra/tests/grants

.PHONY: check
check: ##test run all static checks: formatting, vet, linters, import rule, words, commits, OpenAPI, console
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not formatted:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet $(PACKAGES)
	@.ci/tidy
	go test -count=1 -run "TestImportRule|TestEveryPackageIsTested|TestDocumentLinksResolve" ./shared
	@.ci/commits
	@$(MAKE) --no-print-directory words
	go run ./infra/diagram -check
	@$(MAKE) --no-print-directory lint lint-api validate vulnerabilities check-console

.PHONY: words
words: ##test measure the language of comments and search all texts for discouraged phrases
	@go run ./infra/wordcheck

.PHONY: lint
lint: ##test run the linters of .golangci.yml (the first run builds them, for some minutes)
	$(call tool,golangci-lint) run $$(go list -f '{{.Dir}}' $(MODULES) | grep -v /infra/cdk)

.PHONY: vulnerabilities
vulnerabilities: ##test run govulncheck and npm audit (each skipped if its database cannot be reached)
	@if curl -fsS -o /dev/null --connect-timeout 3 --max-time 10 https://vuln.go.dev/index/db.json 2>/dev/null; then \
		$(call tool,govulncheck) $(PACKAGES); \
	else echo "skipped: govulncheck, whose database (vuln.go.dev) cannot be reached"; fi
	@[ -z "$(NODE)" ] || for folder in console client/typescript; do \
		report=$$(cd $$folder && npm audit --omit=dev --audit-level=high --json 2>/dev/null); status=$$?; \
		if ! echo "$$report" | grep -q auditReportVersion; then echo "skipped: npm audit of $$folder, whose registry does not answer"; \
		elif [ $$status != 0 ]; then echo "$$report"; echo "npm audit of $$folder found vulnerabilities: run npm audit fix"; exit 1; fi; done

.PHONY: picture
picture: ##generate regenerate docs/architecture.svg from docs/architecture.txt
	go run ./infra/diagram

ASL_VALIDATOR := npx --yes asl-validator@4.0.0
REDOCLY := npx --yes @redocly/cli@2.77.0
.PHONY: lint-api
lint-api: ##test lint the OpenAPI description (skipped if npx cannot find Redocly)
	@export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true; \
	if command -v npx >/dev/null && $(REDOCLY) --version >/dev/null 2>&1; then \
		$(REDOCLY) lint --config .ci/redocly.yaml shared/httpapi/openapi.yaml; \
	else echo "skipped: Redocly, which npx has not found"; fi

.PHONY: reference
reference: ##generate update the bundled viewer of the API reference and its licences (needs npm)
	@cd shared/httpapi/reference && npm pack --silent redoc@$(REDOC) >/dev/null && tar xzf redoc-$(REDOC).tgz && \
	gzip -9nc package/bundles/redoc.standalone.js > redoc.js.gz && \
	{ echo "Redoc $(REDOC) (https://www.npmjs.com/package/redoc/v/$(REDOC))"; echo; cat package/LICENSE; echo; \
	  echo "It contains:"; echo; cat package/bundles/redoc.standalone.js.LICENSE.txt; } > LICENSE-redoc.txt; \
	rm -rf package redoc-$(REDOC).tgz; sha256sum redoc.js.gz
REDOC := 2.5.4

.PHONY: validate
validate: ##test validate the state machine definition (skipped if npx cannot find asl-validator)
	@if command -v npx >/dev/null && $(ASL_VALIDATOR) --version >/dev/null 2>&1; then \
		$(ASL_VALIDATOR) --json-path infra/statemachine/import.asl.json; \
	else echo "skipped: asl-validator, which npx has not found"; fi

# FUZZTIME is for each target.
FUZZTIME ?= 60s
.PHONY: fuzz
fuzz: ##test fuzz every decoder for FUZZTIME each (60s)
	@for package in $(PACKAGES); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package || exit 1; \
		done; done

.PHONY: synth
synth: build-lambda ##deploy write the CloudFormation templates to cdk.out (needs Node.js, no account)
	CDK_OUTDIR=cdk.out go run ./infra/cdk

# The command line is built for all of these, the local stack not for Windows.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
LOCAL_PLATFORMS ?= $(filter-out windows/%,$(PLATFORMS))
ARCHIVES := bin/archives
# The date in the man pages.
EPOCH = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),315532800)

.PHONY: build-archives
build-archives: build-command-line build-local-stack

# One folder per platform with the program, its man pages and completions.
.PHONY: build-command-line
build-command-line:
	@rm -rf $(ARCHIVES) bin/manual
	@SOURCE_DATE_EPOCH=$(EPOCH) go run ./cmd/loadbay/internal/manual -version '$(STAMP)' bin/manual
	@for platform in $(PLATFORMS); do os=$${platform%/*} arch=$${platform#*/} program=loadbay; [ $$os != windows ] || program=loadbay.exe; \
		to=$(ARCHIVES)/loadbay-$(STAMP)-$$os-$$arch; mkdir -p $$to && cp -r bin/manual/. $$to && \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -trimpath -buildvcs=false -ldflags '-s -w $(STAMPED)' -o $$to/$$program ./cmd/loadbay || exit 1; done

# Another folder per platform with the program that `loadbay dev` runs, the functions, and the console if it is built.
.PHONY: build-local-stack
build-local-stack: build-command-line
	@for platform in $(LOCAL_PLATFORMS); do os=$${platform%/*} arch=$${platform#*/}; \
		to=$(ARCHIVES)/loadbay-local-$(STAMP)-$$os-$$arch; mkdir -p $$to && \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -trimpath -buildvcs=false -ldflags '-s -w $(STAMPED)' -o $$to/loadbay-local ./cmd/loadbay-local && \
		{ [ ! -d console/dist ] || cp -r console/dist $$to/console; } && \
		$(call functions,$$to/functions,$$os,$$arch,-s -w $(STAMPED)) || exit 1; done

.PHONY: dist
dist: build-lambda build-archives ##release pack the functions and programs with checksums in dist (VERSION=v0.1.0, or that of the commit)
	go run ./infra/release -version '$(STAMP)' -from $(LAMBDA) -archives $(ARCHIVES) -to 'dist/loadbay-$(STAMP)' $(FUNCTIONS)

DIST = dist/loadbay-$(STAMP)
# Tools of .ci/release-tools; their modules are downloaded once.
release-tool = $$(GOWORK=off go tool -modfile=.ci/release-tools/go.mod -n $(1))

.PHONY: sbom
sbom: ##release list all modules of the programs in dist, in the format CycloneDX, with its checksum (VERSION as in dist)
	$(call release-tool,cyclonedx-gomod) mod -json -noserial -std -output '$(DIST)/sbom.cdx.json'
	go run ./infra/release -version '$(STAMP)' -sbom '$(DIST)/sbom.cdx.json'
	cd '$(DIST)' && { grep -v '  sbom.cdx.json$$' checksums.txt; sha256sum sbom.cdx.json; } >checksums.new && mv checksums.new checksums.txt

.PHONY: sign
sign: ##release sign the checksums in dist with the key in SIGNING_KEY (VERSION as in dist)
	@[ -r "$${SIGNING_KEY:-}" ] || { echo "SIGNING_KEY must name the secret key: GOWORK=off go tool -modfile=.ci/release-tools/go.mod minisign -G creates one"; exit 1; }
	$(call release-tool,minisign) -S -s "$$SIGNING_KEY" -m '$(DIST)/checksums.txt'

.PHONY: release
release: ##release check everything, build dist and tag the commit (VERSION=v0.1.0); does not push
	@.ci/release '$(VERSION)'

# CDK_ARGS holds context, as in CDK_ARGS='-c stage=prod -c jwtIssuer=https://…'.
CDK := npx --yes aws-cdk@2.1148.1

# Without a token issuer, API Gateway would fail after everything else has been created.
.PHONY: has-issuer
has-issuer:
	@case "$(CDK_ARGS)" in *jwtIssuer=https://*|*auth=cognito*) ;; *) \
		echo "deploy: who issues the tokens? CDK_ARGS='-c auth=cognito', or '-c jwtIssuer=https://… -c jwtAudience=…' (docs/runbook.md#deploying)" >&2; exit 1;; esac

# Without an address, alarms would be sent to nobody.
.PHONY: has-alarm-address
has-alarm-address:
	@case "$(CDK_ARGS)" in *alarmEmail=?*) ;; *) \
		echo "deploy: who receives alarms? CDK_ARGS='… -c alarmEmail=you@example.com', or '-c alarmEmail=none' (docs/runbook.md#deploying)" >&2; exit 1;; esac

.PHONY: preflight
preflight: ##deploy tell what the AWS account of the environment lacks for a deployment, without creating anything (AWS_REGION, CDK_ARGS)
	@CDK_ARGS='$(CDK_ARGS)' go run ./infra/cdk/preflight

.PHONY: invite
invite: ##deploy add a person to the user pool of STAGE (EMAIL=ada@example.org ORGANISATION=2 SCOPES='imports:read …' or SCOPES=admin)
	@STAGE='$(STAGE)' EMAIL='$(EMAIL)' ORGANISATION='$(ORGANISATION)' SCOPES='$(SCOPES)' go run ./infra/invite

.PHONY: bootstrap
bootstrap: ##deploy prepare an account and region for CDK, once (ACCOUNT=123456789012 REGION=eu-central-1)
	@[[ "$(ACCOUNT)" =~ ^[0-9]{12}$$ && "$(REGION)" =~ ^[a-z]+(-[a-z]+)+-[0-9]$$ ]] || \
		{ echo "bootstrap: ACCOUNT=123456789012 REGION=eu-central-1 say where" >&2; exit 1; }
	$(CDK) bootstrap aws://$(ACCOUNT)/$(REGION) --app ''

# CDK asks before it widens permissions. CI sets APPROVAL=never after a review of `make diff`.
APPROVAL ?= broadening
.PHONY: deploy
deploy: has-issuer has-alarm-address build-lambda ##deploy deploy to the AWS account of the environment (APPROVAL=never skips the confirmation)
	$(CDK) deploy --all --require-approval $(APPROVAL) $(CDK_ARGS)

# The aws command uses the same credentials and region. Assets with content hashes are uploaded
# first, index.html last.
STAGE ?= dev
.PHONY: deploy-console
deploy-console: console ##deploy upload the console to the deployment of STAGE (dev; needs the aws command)
	@bucket=$${CONSOLE_BUCKET:-$$(aws cloudformation describe-stacks --stack-name loadbay-$(STAGE)-service --query "Stacks[0].Outputs[?OutputKey=='ConsoleBucket'].OutputValue" --output text)} && \
	aws s3 cp --recursive --no-progress --cache-control 'public, max-age=31536000, immutable' --exclude '*.gz' console/dist/assets "s3://$$bucket/assets" && \
	aws s3 cp --recursive --no-progress --cache-control 'public, max-age=31536000, immutable' --content-type application/gzip --exclude '*' --include '*.gz' console/dist/assets "s3://$$bucket/assets" && \
	aws s3 cp --recursive --no-progress --cache-control no-cache --exclude 'assets/*' --exclude index.html console/dist "s3://$$bucket" && \
	aws s3 cp --no-progress --cache-control no-cache console/dist/index.html "s3://$$bucket/index.html"

.PHONY: diff
diff: build-lambda ##deploy show what a deployment would change
	$(CDK) diff $(CDK_ARGS)

.PHONY: destroy
destroy: ##deploy delete a deployment
	$(CDK) destroy --all $(CDK_ARGS)

.PHONY: empty
empty: ##deploy empty the buckets of stage dev so that it can be deleted
	STAGE='$(STAGE)' go run ./infra/emptybuckets

.PHONY: deploy-check
deploy-check: build-lambda ##deploy deploy stage dev to a real account, test it and delete it, after a question about the price (ACCOUNT=123456789012, AWS_REGION, CDK_ARGS, CONFIRM=yes)
	ACCOUNT='$(ACCOUNT)' CDK_ARGS='$(CDK_ARGS)' go run ./infra/deploycheck

.PHONY: clean
clean: ##run delete build outputs and the state of the local stack
	rm -rf bin dist cdk.out .loadbay console/dist $(READER) $(dir $(READER))wasm_exec.js
