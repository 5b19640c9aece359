package templates

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"track"
)

// The functions that a template is rewritten to call. No template can name them itself.
const (
	callField = "_field" // VALUE LINE EXPRESSION NAME…
	callPrint = "_print" // VALUE, at the end of what is written
	callStep  = "_step"  // WEIGHT, at the beginning of what may be repeated
	callLeave = "_leave" // at the end of a template
)

// rewriter changes the parse tree of a template: fields are looked up by a function that has better errors, steps are
// counted, and what is written is escaped.
type rewriter struct {
	file, source string
	escapes      bool
	functions    []string
	err          error // the first
}

func (r *rewriter) line(pos parse.Pos) int {
	return 1 + strings.Count(r.source[:min(int(pos), len(r.source))], "\n")
}

// template rewrites one template.
func (r *rewriter) template(l *parse.ListNode) {
	weight := r.list(l)
	l.Nodes = append([]parse.Node{r.silent(l.Pos, callStep, weight, 1)}, append(l.Nodes, r.silent(l.Pos, callLeave))...)
}

// silent returns a node that calls a function and writes nothing.
func (r *rewriter) silent(pos parse.Pos, name string, numbers ...int) parse.Node {
	args := []parse.Node{parse.NewIdentifier(name).SetPos(pos)}
	for _, n := range numbers {
		args = append(args, &parse.NumberNode{NodeType: parse.NodeNumber, Pos: pos, IsInt: true, Int64: int64(n), Text: strconv.Itoa(n)})
	}
	return &parse.IfNode{BranchNode: parse.BranchNode{
		NodeType: parse.NodeIf, Pos: pos, Pipe: pipe(pos, args), List: &parse.ListNode{NodeType: parse.NodeList, Pos: pos},
	}}
}

func pipe(pos parse.Pos, args []parse.Node) *parse.PipeNode {
	return &parse.PipeNode{NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{{NodeType: parse.NodeCommand, Pos: pos, Args: args}}}
}

// list rewrites nodes and returns their number, without the bodies of loops, which count their own repetitions.
func (r *rewriter) list(l *parse.ListNode) (weight int) {
	if l == nil {
		return 0
	}
	for _, n := range l.Nodes {
		weight++
		switch n := n.(type) {
		case *parse.ActionNode:
			weight += r.pipe(n.Pipe)
			if r.escapes && len(n.Pipe.Decl) == 0 {
				n.Pipe.Cmds = append(n.Pipe.Cmds, pipe(n.Pos, []parse.Node{parse.NewIdentifier(callPrint).SetPos(n.Pos)}).Cmds...)
			}
		case *parse.IfNode:
			weight += r.branch(n.BranchNode)
		case *parse.WithNode:
			weight += r.branch(n.BranchNode)
		case *parse.RangeNode:
			weight += r.pipe(n.Pipe) + r.list(n.ElseList)
			n.List.Nodes = append([]parse.Node{r.silent(n.Pos, callStep, 1+r.list(n.List))}, n.List.Nodes...)
		case *parse.TemplateNode:
			if n.Pipe != nil {
				weight += r.pipe(n.Pipe)
			}
		}
	}
	return weight
}

func (r *rewriter) branch(b parse.BranchNode) int {
	return r.pipe(b.Pipe) + r.list(b.List) + r.list(b.ElseList)
}

func (r *rewriter) pipe(p *parse.PipeNode) (weight int) {
	for _, c := range p.Cmds {
		weight += len(c.Args)
		for i, arg := range c.Args {
			var inner int
			c.Args[i], inner = r.arg(arg)
			weight += inner
		}
		if call, ok := c.Args[0].(*parse.PipeNode); ok && len(c.Args) == 1 && len(p.Cmds) == 1 && isField(call) {
			c.Args = call.Cmds[0].Args
		}
	}
	return weight
}

func isField(p *parse.PipeNode) bool {
	if len(p.Cmds) != 1 {
		return false
	}
	name, ok := p.Cmds[0].Args[0].(*parse.IdentifierNode)
	return ok && name.Ident == callField
}

func (r *rewriter) arg(n parse.Node) (parse.Node, int) {
	switch n := n.(type) {
	case *parse.FieldNode:
		return r.field(n.Pos, n.String(), &parse.DotNode{NodeType: parse.NodeDot, Pos: n.Pos}, n.Ident), 1
	case *parse.VariableNode:
		if len(n.Ident) > 1 {
			return r.field(n.Pos, n.String(), &parse.VariableNode{NodeType: parse.NodeVariable, Pos: n.Pos, Ident: n.Ident[:1]}, n.Ident[1:]), 1
		}
	case *parse.ChainNode:
		expression := n.String()
		of, weight := r.arg(n.Node)
		return r.field(n.Pos, expression, of, n.Field), weight + 1
	case *parse.PipeNode:
		return n, r.pipe(n)
	case *parse.IdentifierNode:
		if !slices.Contains(r.functions, n.Ident) && r.err == nil {
			r.err = &track.FieldError{File: r.file, Line: r.line(n.Pos), Field: n.Ident, Message: "there is no such function; there are " + listed(r.functions)}
		}
	}
	return n, 0
}

// field returns the call that looks up nested fields.
func (r *rewriter) field(pos parse.Pos, expression string, of parse.Node, names []string) parse.Node {
	args := []parse.Node{parse.NewIdentifier(callField).SetPos(pos), of}
	for _, s := range append([]string{fmt.Sprint(r.line(pos)), expression}, names...) {
		args = append(args, &parse.StringNode{NodeType: parse.NodeString, Pos: pos, Quoted: strconv.Quote(s), Text: s})
	}
	return pipe(pos, args)
}
