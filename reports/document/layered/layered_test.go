package layered_test

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
	"track/reports/document/layered"
)

// graphs are any: with circles, edges to oneself, edges side by side.
func graphs(t *rapid.T) (nodes []layered.Node, edges []layered.Edge) {
	size := rapid.Float64Range(10, 200)
	for range rapid.IntRange(1, 20).Draw(t, "nodes") {
		nodes = append(nodes, layered.Node{Along: size.Draw(t, "along"), Across: size.Draw(t, "across")})
	}
	node := rapid.IntRange(0, len(nodes)-1)
	for range rapid.IntRange(0, 30).Draw(t, "edges") {
		e := layered.Edge{From: node.Draw(t, "from"), To: node.Draw(t, "to"), Weight: rapid.IntRange(0, 1000).Draw(t, "weight"), Last: rapid.Bool().Draw(t, "last")}
		if rapid.Bool().Draw(t, "labelled") {
			e.Label = layered.Node{Along: size.Draw(t, "label"), Across: 17}
		}
		edges = append(edges, e)
	}
	return nodes, edges
}

// Nodes lie apart, edges begin and end at theirs, and everything is within the drawing.
func TestAnyGraph(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		nodes, edges := graphs(t)
		far := rapid.Bool().Draw(t, "far")
		d := layered.Layout(nodes, edges, far)
		if !reflect.DeepEqual(d, layered.Layout(nodes, edges, far)) {
			t.Fatal("the same graph gave another drawing")
		}
		for i, p := range d.Nodes {
			within(t, d, p, nodes[i])
			for k, q := range d.Nodes[:i] {
				if math.Abs(p.Along-q.Along) < (nodes[i].Along+nodes[k].Along)/2-1e-6 && math.Abs(p.Across-q.Across) < (nodes[i].Across+nodes[k].Across)/2-1e-6 {
					t.Fatalf("nodes %d and %d overlap: %v, %v", i, k, p, q)
				}
			}
		}
		for i, r := range d.Routes {
			e := edges[i]
			for _, p := range r.Points {
				within(t, d, p, layered.Node{})
			}
			within(t, d, r.Label, e.Label)
			from, to, first, last := d.Nodes[e.From], d.Nodes[e.To], r.Points[0], r.Points[len(r.Points)-1]
			if math.Abs(from.Along+nodes[e.From].Along/2-first.Along) > 1e-6 || math.Abs(first.Across-from.Across) > nodes[e.From].Across/2 ||
				math.Abs(to.Along-nodes[e.To].Along/2-last.Along) > 1e-6 || math.Abs(last.Across-to.Across) > nodes[e.To].Across/2 {
				t.Fatalf("edge %d goes from %v to %v, its nodes are at %v and %v", i, first, last, from, to)
			}
			if !r.Back && first.Along >= last.Along {
				t.Fatalf("edge %d runs back: %v", i, r.Points)
			}
		}
	})
}

func within(t *rapid.T, d layered.Drawing, p layered.Point, size layered.Node) {
	t.Helper()
	const rounding = 1e-6
	if !(p.Along-size.Along/2 >= -rounding && p.Along+size.Along/2 <= d.Along+rounding && p.Across-size.Across/2 >= -rounding && p.Across+size.Across/2 <= d.Across+rounding) {
		t.Fatalf("%v of size %v is outside of %v × %v", p, size, d.Along, d.Across)
	}
}

// What leads to the head is a straight line, whatever hangs on it; and a rollback runs back, while the steps it undoes do not.
func TestBestPathIsStraight(t *testing.T) {
	nodes := make([]layered.Node, 9)
	for i := range nodes {
		nodes[i] = layered.Node{Along: 100, Across: 40}
	}
	edges := []layered.Edge{
		{From: 3, To: 1, Last: true}, {From: 0, To: 1, Weight: 1e6}, {From: 1, To: 2, Weight: 1e6}, {From: 2, To: 3, Weight: 1e6},
		{From: 0, To: 4, Weight: 1}, {From: 1, To: 5, Weight: 1}, {From: 1, To: 6, Weight: 1}, {From: 1, To: 7, Weight: 10}, {From: 2, To: 8, Weight: 1},
	}
	d := layered.Layout(nodes, edges, false)
	for i := range 3 {
		if math.Abs(d.Nodes[i].Across-d.Nodes[i+1].Across) > 0.5 {
			t.Errorf("node %d is at %v, the next one at %v", i, d.Nodes[i], d.Nodes[i+1])
		}
	}
	for i, r := range d.Routes {
		if r.Back != (i == 0) || r.Back && r.Label.Across > d.Nodes[0].Across {
			t.Errorf("edge %d: back is %v", i, r.Back)
		}
	}
}

// On the far side, what runs back has changed its side, and nothing else.
func TestFarSide(t *testing.T) {
	nodes := []layered.Node{{Along: 100, Across: 40}, {Along: 100, Across: 40}, {Along: 100, Across: 40}}
	edges := []layered.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 0, Last: true}}
	near, far := layered.Layout(nodes, edges, false), layered.Layout(nodes, edges, true)
	if near.Nodes[1].Across > near.Nodes[2].Across || far.Nodes[1].Across > far.Nodes[2].Across {
		t.Errorf("the order is %v near and %v far", near.Nodes, far.Nodes)
	}
	if near.Routes[2].Label.Across > near.Nodes[1].Across || far.Routes[2].Label.Across < far.Nodes[2].Across {
		t.Errorf("what runs back is at %v near and %v far", near.Routes[2].Label, far.Routes[2].Label)
	}
}

func TestNothing(t *testing.T) {
	if d := layered.Layout(nil, nil, true); d.Along != 0 || d.Across != 0 {
		t.Errorf("%+v", d)
	}
}
