package rubric

import (
	"fmt"
	"time"
)

func ExampleRubric_Score() {
	r, err := ByName(Default)
	if err != nil {
		fmt.Println(err)
		return
	}
	exit, duration, corrections := 1, 60*time.Second, 0
	output := "The port is 8080, because config.yaml says so.\n\n```yaml\nport: 8080\n```\n\nYou should restart the service."
	s := r.Score(Execution{
		TaskType: "question", Complexity: medium, Duration: &duration, Corrections: &corrections, Output: &output,
		Calls: []Call{{Tool: "Bash", Command: "grep -rn listen src", Exit: &exit}},
	}, Options{})

	fmt.Printf("%s: %.2f, %s (%s)\n", s.Rubric, s.Value, s.Grade, s.Grade.Action())
	for _, c := range s.Components {
		fmt.Printf("%.2f × %.2f  %s: %s\n", c.Weight, *c.Value, c.Name, c.Reason)
	}
	quality, _ := s.component(completeness)
	for _, c := range quality.Parts {
		fmt.Printf("  %s: %s\n", c.Name, c.Reason)
	}

	// Output:
	// rubric/2: 82.93, A (minor improvements)
	// 0.35 × 1.00  tool_success_rate: 1 of 1 call succeeded, 1 benign exit among them
	// 0.25 × 0.86  output_quality: completeness 0.7143, accuracy 1
	// 0.20 × 0.50  efficiency: time: 1m0s of the 2m0s expected at most for a medium task
	// 0.15 × 1.00  one_minus_error_rate: 0 errors (0 failed calls, 0 retries, 0 patterns in the final text, 0 corrections): error rate 0
	// 0.05 × 0.30  structure_score: headings 0, lists 0, code_blocks 1
	//   direct_answer: line 1 answers: "The port is 8080, because config.yaml says so."
	//   code: not a coding task: scored over the other parts
	//   explanation: 13 words of prose, 25 make an explanation
	//   next_steps: recommendation at line 7: "you should"
}

func ExampleFitness() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var list []ScoredExecution
	for i, value := range []float64{82, 95, 70, 74, 78, 80, 31, 77, 79, 81} { // newest first
		list = append(list, ScoredExecution{
			ID: fmt.Sprintf("e%02d", i), At: now.Add(-time.Duration(i) * time.Hour), Score: Score{Rubric: V2, Value: value, Defined: true},
		})
	}
	f, err := Fitness(list, FitnessOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("fitness %.2f, %s, of %d executions\n", f.Value, f.Grade, f.N)
	for _, u := range f.Used {
		fmt.Printf("%s  %v × %v\n", u.ID, u.Weight, u.Value)
	}
	fmt.Println("trimmed", f.TrimmedWorst, f.TrimmedBest, "too old", f.TooOld)
	fmt.Printf("effective n %.2f; %s interval %.1f to %.1f, n = %d\n", f.EffectiveN, f.Mean.Interval.Method, f.Mean.Interval.Lo, f.Mean.Interval.Hi, f.Mean.N)

	// Output:
	// fitness 76.70, B, of 10 executions
	// e00  1 × 82
	// e02  0.9 × 70
	// e03  0.8 × 74
	// e04  0.7 × 78
	// e05  0.6 × 80
	// trimmed [e06] [e01] too old [e07 e08 e09]
	// effective n 4.85; t interval 70.8 to 82.8, n = 5
}
