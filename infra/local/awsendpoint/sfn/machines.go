package sfn

import (
	"maps"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

type describeMachineRequest struct {
	StateMachineARN string `json:"stateMachineArn"`
	IncludedData    string `json:"includedData"`
}

// machineDescription holds the members that both descriptions of a machine share.
type machineDescription struct {
	StateMachineARN      string  `json:"stateMachineArn"`
	Name                 string  `json:"name"`
	Definition           string  `json:"definition"`
	RoleARN              string  `json:"roleArn"`
	RevisionID           string  `json:"revisionId"`
	LoggingConfiguration logging `json:"loggingConfiguration"`
	TracingConfiguration tracing `json:"tracingConfiguration"`
}

type logging struct {
	Level                string `json:"level"`
	IncludeExecutionData bool   `json:"includeExecutionData"`
}

type tracing struct {
	Enabled bool `json:"enabled"`
}

type describeMachineResponse struct {
	machineDescription
	Status       string            `json:"status"`
	Type         string            `json:"type"`
	CreationDate history.Timestamp `json:"creationDate"`
}

func (s *Service) describeStateMachine(r describeMachineRequest) (*describeMachineResponse, error) {
	m, err := s.findMachine(r.StateMachineARN)
	if err != nil {
		return nil, err
	}
	withData, err := includesData(r.IncludedData)
	if err != nil {
		return nil, err
	}
	response := &describeMachineResponse{Status: "ACTIVE", Type: "STANDARD", CreationDate: history.Timestamp(m.Created)}
	err = s.db.View(func(tx *bbolt.Tx) error {
		response.machineDescription = openStore(tx).describeMachine(m.Name, m.Revision, withData)
		return nil
	})
	return response, err
}

func (l store) describeMachine(name, revision string, withData bool) machineDescription {
	d := machineDescription{
		StateMachineARN: MachineARN(name), Name: name, RoleARN: rolePrefix + name, RevisionID: revision,
		LoggingConfiguration: logging{Level: "OFF"},
	}
	if withData {
		d.Definition = l.definition(revision)
	}
	return d
}

type describeForExecutionResponse struct {
	machineDescription
	UpdateDate history.Timestamp `json:"updateDate"`
}

// describeStateMachineForExecution returns the definition with which an execution
// started.
func (s *Service) describeStateMachineForExecution(r describeRequest) (*describeForExecutionResponse, error) {
	withData, err := includesData(r.IncludedData)
	if err != nil {
		return nil, err
	}
	var response *describeForExecutionResponse
	err = s.readExecution(r.ExecutionARN, func(l store, _ string, x *interp.Execution) error {
		response = &describeForExecutionResponse{
			machineDescription: l.describeMachine(x.MachineName, x.Revision, withData),
			UpdateDate:         history.Timestamp(s.machines[x.MachineName].Updated),
		}
		return nil
	})
	return response, err
}

type listMachinesRequest struct {
	MaxResults int    `json:"maxResults"`
	NextToken  string `json:"nextToken"`
}

type machineItem struct {
	StateMachineARN string            `json:"stateMachineArn"`
	Name            string            `json:"name"`
	Type            string            `json:"type"`
	CreationDate    history.Timestamp `json:"creationDate"`
}

type listMachinesResponse struct {
	StateMachines []machineItem `json:"stateMachines"`
	NextToken     string        `json:"nextToken,omitempty"`
}

// listStateMachines lists the machines by name. A page token is the name with which
// the next page starts.
func (s *Service) listStateMachines(r listMachinesRequest) (*listMachinesResponse, error) {
	limit, err := pageSize(r.MaxResults)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(s.machines))
	if r.NextToken != "" {
		start, found := slices.BinarySearch(names, r.NextToken)
		if !found {
			return nil, invalidToken()
		}
		names = names[start:]
	}
	response := &listMachinesResponse{StateMachines: []machineItem{}}
	if len(names) > limit {
		response.NextToken, names = names[limit], names[:limit]
	}
	for _, name := range names {
		response.StateMachines = append(response.StateMachines, machineItem{
			StateMachineARN: MachineARN(name), Name: name, Type: "STANDARD", CreationDate: history.Timestamp(s.machines[name].Created),
		})
	}
	return response, nil
}
