package ask

import (
	"track/access"
	"track/answer"
	"track/tracker/tokens"
)

// AddToken asks for a new token.
func AddToken() Def[answer.AddTokenQuestion, answer.AddedToken] {
	return Def[answer.AddTokenQuestion, answer.AddedToken]{
		Name: "token add", Scope: access.Admin, Help: "add a token for a server",
		About: `Whoever has the token may ask a server on this database. The scopes say for what. read: answers. record: add facts. spec: declare
specs. decide: decide on mutations, pin baselines, withdraw. admin: everything, tokens too. A token for some scenarios or lineages answers only questions that
name them. The token is shown once; the database keeps a hash of it.`,
		Params: (*answer.AddTokenQuestion).Params, Write: tokens.Add,
	}
}

// Tokens asks for all tokens.
func Tokens() Def[answer.TokensQuestion, answer.Tokens] {
	return Def[answer.TokensQuestion, answer.Tokens]{
		Name: "token list", Scope: access.Admin, Help: "list the tokens, without their secrets",
		Params: (*answer.TokensQuestion).Params, Read: tokens.List, Live: true,
	}
}

// SetToken asks to change how much a token may record, and when it ends.
func SetToken() Def[answer.SetTokenQuestion, answer.ChangedToken] {
	return Def[answer.SetTokenQuestion, answer.ChangedToken]{
		Name: "token set", Scope: access.Admin, Help: "change when a token ends",
		About: `What is not named stays as it is. The word none takes a bound away. A server heeds it from the next request on; what was recorded today counts. What a
token allows cannot be changed: add another one.`,
		Params: (*answer.SetTokenQuestion).Params, Write: tokens.Set,
	}
}

// RevokeToken asks to end a token.
func RevokeToken() Def[answer.RevokeTokenQuestion, answer.RevokedToken] {
	return Def[answer.RevokeTokenQuestion, answer.RevokedToken]{
		Name: "token revoke", Scope: access.Admin, Help: "end a token for good",
		About:  `A server refuses it from the next request on.`,
		Params: (*answer.RevokeTokenQuestion).Params, Write: tokens.Revoke,
	}
}
