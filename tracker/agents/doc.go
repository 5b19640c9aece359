// Package agents records the executions of agents, scores them under every rubric, and answers what they show.
package agents
