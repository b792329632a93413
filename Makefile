# Loadbay: `make help` lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help

FUNCTIONS := $(notdir $(patsubst %/,%,$(wildcard functions/*/)))
LOCAL  := bin/functions
LAMBDA := bin/lambda
# The same flags for local and deployed binaries: small, reproducible, and
# without the RPC mode of Lambda's retired Go runtime.
FUNCTION_FLAGS := -trimpath -tags lambda.norpc -ldflags '-s -w'
STATICCHECK    := honnef.co/go/tools/cmd/staticcheck@v0.7.0
# All packages but those that need the CDK, whose first build takes minutes.
PACKAGES = $$(go list ./... | grep -v /infra/cdk)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build the functions and the local stack for this machine
	@$(call functions,$(LOCAL),$$(go env GOOS),$$(go env GOARCH))
	@CGO_ENABLED=0 go build -trimpath -o bin/loadbay ./infra/local

.PHONY: build-lambda
build-lambda: ## build the functions for AWS (Linux, arm64)
	@$(call functions,$(LAMBDA),linux,arm64)

# functions DIR OS ARCH builds DIR/<function>/bootstrap for each function. Go
# keeps DIR/.flat up to date; the links give each binary the name Lambda wants.
define functions
mkdir -p $(1)/.flat && \
CGO_ENABLED=0 GOOS=$(2) GOARCH=$(3) go build $(FUNCTION_FLAGS) -o $(1)/.flat/ $(addprefix ./functions/,$(FUNCTIONS)) && \
for f in $(FUNCTIONS); do mkdir -p $(1)/$$f && ln -f $(1)/.flat/$$f $(1)/$$f/bootstrap; done
endef

.PHONY: run
run: build ## run all of Loadbay on this machine
	@exec bin/loadbay run

.PHONY: demo
demo: build ## import sample files through the whole architecture and show the outcomes
	@exec bin/loadbay demo
