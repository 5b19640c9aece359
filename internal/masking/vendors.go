package masking

// shape is how the keys of a service look: a beginning that nothing else has, and so many characters of a set.
type shape struct {
	prefixes string
	set      *set
	least    int // characters behind the prefix
	most     int // 0: any number
	flags    shapeFlags
	kind     string
}

type shapeFlags uint8

const (
	mixed      shapeFlags = 1 << iota // it must hold a digit and a capital letter: its beginning is one of words too
	keepPrefix                        // the beginning stays: it is an address
	noFlags    shapeFlags = 0
)

// shapes are the keys of services. To add a service, add a line or a prefix; tell only the lengths that are known, and
// let least be lower than the usual length, since services change it. Those with the same beginning are tried in this
// order.
var shapes = []shape{
	// Amazon.
	{"AKIA ASIA ABIA ACCA", &isUpper, 16, 16, noFlags, "aws-key-id"},
	{"ABSK", &isBase64, 80, 0, noFlags, "api-key"},
	{"amzn.mws.", &isUUID, 36, 36, noFlags, "api-key"},
	{"bedrock-api-key-", &isBase64, 20, 0, noFlags, "api-key"},
	// Google.
	{"AIza", &isURL64, 35, 0, noFlags, "google-key"},
	{"GOCSPX-", &isURL64, 20, 0, noFlags, "google-key"},
	{"ya29.", &isDotted, 20, 0, noFlags, "google-token"},
	{"1//0", &isURL64, 30, 0, noFlags, "google-token"},
	{"APA91b", &isURL64, 80, 0, noFlags, "firebase-token"},
	{"AMf-vB", &isURL64, 60, 0, noFlags, "firebase-token"},
	// Microsoft.
	{"EwB", &isBase64, 200, 0, noFlags, "token"},
	{"0.A", &isDotted, 200, 0, noFlags, "token"},
	// GitHub.
	{"ghp_ gho_ ghu_ ghs_ ghr_", &isAlnum, 30, 0, noFlags, "github-token"},
	{"github_pat_", &isWord, 22, 0, noFlags, "github-token"},
	// GitLab.
	{"glpat- gldt- glrt- glrtr- glptt- glft- glsoat- glcbt- glimt- glagent- gloas- glffct- glwt-", &isDotted, 20, 0, noFlags, "gitlab-token"},
	{"GR1348941", &isURL64, 20, 0, noFlags, "gitlab-token"},
	{"_gitlab_session=", &isAlnum, 32, 32, keepPrefix, "gitlab-token"},
	// Atlassian, Bitbucket.
	{"ATATT3 ATATT ATCTT3", &isDotted, 40, 0, noFlags, "atlassian-token"},
	{"ATBB", &isAlnum, 24, 0, mixed, "atlassian-token"},
	{"BBDC-", &isBase64, 40, 0, noFlags, "atlassian-token"},
	// Slack.
	{"xapp-", &isURL64, 20, 0, noFlags, "slack-token"},
	{"xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs-", &isDotted, 10, 0, noFlags, "slack-token"},
	{"hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/", &isPath, 20, 0, keepPrefix, "slack-webhook"},
	{`hooks.slack.com\/services\/ discord.com\/api\/webhooks\/`, &isEscapedPath, 20, 0, keepPrefix, "webhook"},
	// Addresses whose path is the secret.
	{"discord.com/api/webhooks/ discordapp.com/api/webhooks/ webhook.office.com/webhookb2/ outlook.office.com/webhook/", &isPath, 30, 0, keepPrefix, "webhook"},
	{"hooks.zapier.com/hooks/catch/", &isPath, 8, 0, keepPrefix, "webhook"},
	{"hook.eu1.make.com/ maker.ifttt.com/trigger/ hooks.airtable.com/workflows/", &isPath, 20, 0, keepPrefix, "webhook"},
	// OpenAI, Anthropic and those who speak their language.
	{"sk-ant-", &isURL64, 20, 0, noFlags, "anthropic-key"},
	{"sk-or-", &isURL64, 32, 0, noFlags, "openrouter-key"},
	{"sk-proj- sk-svcacct- sk-admin-", &isURL64, 20, 0, noFlags, "openai-key"},
	{"sk-lf-", &isUUID, 36, 36, noFlags, "openai-key"},
	{"sk-", &isHex, 32, 64, noFlags, "openai-key"},
	{"sk-", &isURL64, 20, 0, mixed, "openai-key"},
	{"sess-", &isAlnum, 40, 40, noFlags, "openai-key"},
	// Models and agents.
	{"gsk_", &isAlnum, 40, 0, noFlags, "groq-key"},
	{"hf_ api_org_", &isAlnum, 30, 0, noFlags, "huggingface-token"},
	{"pplx- xai- ls__", &isAlnum, 32, 0, noFlags, "api-key"},
	{"r8_ csk- rpa_ apify_api_ zai- fal_", &isAlnum, 30, 0, noFlags, "api-key"},
	{"nvapi- wandb_v1_", &isURL64, 40, 0, noFlags, "api-key"},
	{"tvly- bb_live_ bb_test_", &isURL64, 20, 0, noFlags, "api-key"},
	{"jina_ tgp_v1_", &isURL64, 30, 0, noFlags, "api-key"},
	{"fw_ ak- as-", &isAlnum, 20, 0, mixed, "api-key"},
	{"fc-", &isHex, 32, 32, noFlags, "api-key"},
	{"pa- hcai", &isURL64, 40, 0, mixed, "api-key"},
	{"esecret_ unkey_", &isAlnum, 20, 0, noFlags, "api-key"},
	{"key_", &isHex, 32, 0, noFlags, "api-key"},
	{"lsv2_pt_ lsv2_sk_", &isWord, 32, 0, noFlags, "api-key"},
	{"pcsk_", &isWord, 40, 0, noFlags, "api-key"},
	{"e2b_", &isHex, 40, 40, noFlags, "api-key"},
	{"llx-", &isAlnum, 40, 0, noFlags, "api-key"},
	{"mk-", &isAlnum, 40, 0, mixed, "api-key"},
	// Packages.
	{"npm_", &isAlnum, 36, 0, noFlags, "npm-token"},
	{"pypi-", &isURL64, 50, 0, noFlags, "pypi-token"},
	{"rubygems_", &isHex, 48, 48, noFlags, "token"},
	{"cio", &isAlnum, 32, 32, mixed, "token"},
	{"CLOJARS_", &isAlnum, 50, 0, noFlags, "token"},
	{"oy2", &isLower, 43, 43, noFlags, "token"},
	{"AKCp", &isAlnum, 60, 0, noFlags, "token"},
	{"cmVmd", &isAlnum, 59, 60, noFlags, "token"},
	{"dckr_pat_ dckr_oat_", &isURL64, 20, 0, noFlags, "token"},
	{"rdme_", &isLower, 60, 0, noFlags, "token"},
	{"cloudsmith_", &isAlnum, 30, 0, noFlags, "token"},
	// Payment.
	{"rk_live_ rk_test_ rk_prod_ sk_live_ sk_test_ sk_prod_ whsec_", &isAlnum, 16, 0, noFlags, "stripe-key"},
	{"sq0atp- FLWSECK-", &isURL64, 20, 0, noFlags, "api-key"},
	{"sq0csp- APP_USR-", &isURL64, 30, 0, noFlags, "api-key"},
	{"EAAA", &isURL64, 40, 0, mixed, "api-key"},
	{"access_token$production$ access_token$sandbox$", &isWord, 20, 0, noFlags, "api-key"},
	{"rzp_live_ rzp_test_", &isAlnum, 14, 0, noFlags, "api-key"},
	{"FLWSECK_TEST-", &isURL64, 12, 0, noFlags, "api-key"},
	{"TEST-", &isURL64, 60, 0, mixed, "api-key"},
	{"EZAK EZTK", &isAlnum, 50, 0, noFlags, "api-key"},
	{"shippo_live_ shippo_test_", &isHex, 40, 40, noFlags, "api-key"},
	{"duffel_live_ duffel_test_", &isDotted, 30, 0, noFlags, "api-key"},
	{"sk_sbox_", &isAlnum, 20, 0, noFlags, "api-key"},
	{"A21AA", &isURL64, 60, 0, noFlags, "api-key"},
	{"pdl_live_ pdl_sdbx_", &isWord, 30, 0, noFlags, "api-key"},
	{"lmnsq_", &isAlnum, 30, 0, noFlags, "api-key"},
	// Shops.
	{"shpat_ shpca_ shppa_ shpss_ shptka_ shpua_", &isHex, 32, 0, noFlags, "api-key"},
	// Clouds and hosts.
	{"dop_v1_ doo_v1_ dor_v1_", &isHex, 64, 64, noFlags, "digitalocean-token"},
	{"dapi", &isUUID, 32, 34, noFlags, "databricks-token"},
	{"dkea", &isHex, 32, 34, noFlags, "databricks-token"},
	{"dose", &isHex, 32, 0, noFlags, "databricks-token"},
	{"HRKU- cfat_ cfut_ cfk_", &isURL64, 36, 0, noFlags, "token"},
	{"fm1a_ fm1r_ fm2_", &isBase64, 60, 0, noFlags, "token"},
	{"fo1_ y0_ y1_ tk-us- sha256~", &isURL64, 40, 0, noFlags, "token"},
	{"nfp_ nfc_ tptoken_", &isAlnum, 30, 0, noFlags, "token"},
	{"vcp_ xau_", &isAlnum, 24, 0, noFlags, "token"},
	{"vercel_", &isAlnum, 24, 0, mixed, "token"},
	{"rnd_", &isAlnum, 28, 0, noFlags, "token"},
	{"sbp_", &isHex, 40, 0, noFlags, "token"},
	{"sb_secret_ tskey-", &isURL64, 20, 0, noFlags, "token"},
	{"napi_", &isAlnum, 40, 0, noFlags, "token"},
	{"pscale_tkn_ pscale_oauth_ pscale_pw_", &isDotted, 32, 0, noFlags, "token"},
	{"LTAI", &isAlnum, 12, 26, mixed, "token"},
	{"AKID", &isAlnum, 32, 36, mixed, "token"},
	{"AQVN", &isURL64, 35, 0, noFlags, "token"},
	{"t1.", &isDotted, 80, 0, noFlags, "token"},
	{"YC", &isURL64, 38, 38, mixed, "token"},
	{"v1.0-", &isUUID, 100, 0, noFlags, "token"},
	{"K00", &isBase64, 28, 28, mixed, "token"},
	{"AVNS_", &isURL64, 16, 0, noFlags, "token"},
	{"scw_", &isUUID, 36, 36, noFlags, "token"},
	{"SCW", &isUpper, 17, 17, noFlags, "token"},
	{"ico-", &isAlnum, 32, 0, noFlags, "token"},
	{"4b1d", &isAlnum, 38, 38, noFlags, "token"},
	{"cflt", &isBase64, 50, 0, mixed, "token"},
	{"dnkey-", &isDotted, 40, 0, noFlags, "token"},
	{"exo", &isAlnum, 27, 0, mixed, "token"},
	{"EXO", &isHex, 24, 0, noFlags, "token"},
	// Infrastructure and secrets.
	{"K10", &isHex, 64, 64, noFlags, "token"},
	{"hvs. hvb. hvr.", &isURL64, 24, 0, noFlags, "vault-token"},
	{"b.AAAAAQ", &isURL64, 40, 0, noFlags, "vault-token"},
	{"s.", &isAlnum, 24, 24, mixed, "vault-token"},
	{"pul-", &isHex, 40, 40, noFlags, "token"},
	{"dp.pt. dp.ct. dp.sa. dp.scim. dp.audit. pnu_ pnb_ bkaj_ n8n_api_", &isAlnum, 30, 0, noFlags, "token"},
	{"dp.st.", &isDotted, 30, 0, noFlags, "token"},
	{"st.", &isDotted, 40, 0, mixed, "token"},
	{"ops_eyJ", &isBase64, 40, 0, noFlags, "token"},
	{"A3-", &isURL64, 30, 0, mixed, "token"},
	{"at_", &isAlnum, 60, 0, mixed, "token"},
	{"dt0c01. dt0s01. dt0s16.", &isDotted, 60, 0, noFlags, "token"},
	{"sgp_ CCIPAT_ CCIPRJ_", &isWord, 40, 0, noFlags, "token"},
	{"slk_ bkua_ squ_ sqp_ sqa_", &isHex, 40, 0, noFlags, "token"},
	{"API-", &isUpper, 26, 0, noFlags, "token"},
	{"sntrys_", &isAny64, 40, 0, noFlags, "token"},
	{"sntryu_ sntrya_", &isHex, 60, 0, noFlags, "token"},
	{"pat. sat.", &isDotted, 60, 0, mixed, "token"},
	{"k1aw", &isAlnum, 20, 0, mixed, "token"},
	{"snyk_", &isDotted, 36, 0, mixed, "token"},
	// Watching.
	{"glsa_", &isWord, 32, 0, noFlags, "token"},
	{"glc_", &isAny64, 32, 0, noFlags, "token"},
	{"eyJrIjoi", &isBase64, 40, 0, noFlags, "token"},
	{"NRAK-", &isAlnum, 27, 0, noFlags, "token"},
	{"NRII- NRIQ-", &isURL64, 32, 0, noFlags, "token"},
	{"NRJS-", &isHex, 19, 0, noFlags, "token"},
	{"NRRA-", &isHex, 40, 0, noFlags, "token"},
	{"NRAA-", &isHex, 20, 0, noFlags, "token"},
	{"hcaik_ hcalk_ hcbik_", &isAlnum, 40, 0, noFlags, "token"},
	{"xaat- xapt- api- mob- sec-c- sdk-", &isUUID, 36, 36, noFlags, "token"},
	{"phx_ phs_ phc_", &isAlnum, 36, 0, noFlags, "token"},
	{"ddapp_ ddapi_", &isAlnum, 30, 0, noFlags, "token"},
	{"oauth:", &isLower, 30, 30, noFlags, "token"},
	{"secret-", &isAlnum, 30, 0, mixed, "token"},
	{"ser.", &isAlnum, 20, 0, mixed, "token"},
	// Mail and messages.
	{"key- SK pubkey-", &isHex, 32, 32, noFlags, "api-key"},
	{"xkeysib- xsmtpsib-", &isURL64, 60, 0, noFlags, "api-key"},
	{"re_", &isWord, 30, 0, mixed, "api-key"},
	{"md-", &isURL64, 22, 0, mixed, "api-key"},
	{"live_ test_", &isHex, 31, 40, noFlags, "api-key"},
	{"sm_aat_ sm_pat_ sm_sat_", &isAlnum, 16, 0, noFlags, "api-key"},
	{"b_", &isDotted, 44, 44, mixed, "api-key"},
	{"mlsn.", &isHex, 60, 0, noFlags, "api-key"},
	{"KEY0", &isAny64, 48, 0, mixed, "api-key"},
	// Work.
	{"lin_api_ lin_oauth_ rtr_ kpat_ spat_", &isAlnum, 30, 0, noFlags, "token"},
	{"secret_ ntn_ dropbox_", &isAlnum, 40, 0, noFlags, "token"},
	{"figd_ ory_at_", &isURL64, 30, 0, noFlags, "token"},
	{"figu", &isURL64, 40, 0, mixed, "token"},
	{"pat-na1- pat-eu1-", &isUUID, 36, 36, noFlags, "token"},
	{"tfp_", &isDotted, 40, 0, noFlags, "token"},
	{"PMAK-", &isURL64, 50, 0, noFlags, "token"},
	{"PMAT-", &isUpper, 26, 0, noFlags, "token"},
	{"sl. authress_", &isDotted, 60, 0, noFlags, "token"},
	{"CFPAT-", &isURL64, 40, 0, noFlags, "token"},
	{"fio-u-", &isDotted, 50, 0, noFlags, "token"},
	{"p8e-", &isLower, 32, 32, noFlags, "token"},
	{"dG9rO", &isBase64, 40, 0, noFlags, "token"},
	{"retool_", &isAlnum, 20, 0, mixed, "token"},
	{"00D", &isAny64, 90, 0, mixed, "token"},
	{"ZAP frc_", &isAlnum, 40, 0, mixed, "token"},
	{"pdus+_", &isWord, 20, 0, mixed, "token"},
	{"ATTA", &isHex, 60, 0, noFlags, "token"},
	{"nk_", &isAlnum, 30, 0, mixed, "token"},
	{"cal_live_", &isHex, 32, 0, noFlags, "token"},
	{"ory_pat_ ory_st_", &isURL64, 24, 0, noFlags, "token"},
	{"s-s4t2", &isURL64, 60, 0, noFlags, "token"},
	// Social.
	{"EAAC EAAM EAAB EAAG", &isAlnum, 80, 0, noFlags, "token"},
	{"IGQV", &isURL64, 80, 0, noFlags, "token"},
	{"AAAAAAAAAAAAAAAAAAAAA", &isPath, 40, 0, mixed, "token"},
	{"xprv", &isAlnum, 90, 0, noFlags, "token"},
	{"nsec1", &isLower, 50, 0, noFlags, "token"},
	{"MTA", &isURL64, 90, 0, mixed, "token"},
	// Files.
	{"AGE-SECRET-KEY-", &isUpper, 40, 0, noFlags, "age-key"},
	{"LS0tLS1CRUdJTiBQUklWQVRF LS0tLS1CRUdJTiBSU0EgUFJJ LS0tLS1CRUdJTiBFQyBQUklW LS0tLS1CRUdJTiBPUEVOU1NI LS0tLS1CRUdJTiBFTkNSWVBU LS0tLS1CRUdJTiBEU0EgUFJJ", &isBase64, 40, 0, noFlags, "private-key"},
}
