package masking

// form is how a program takes a secret.
type form uint8

const (
	whole        form = iota // -p SECRET
	attached                 // -pSECRET
	either                   // one of the two
	afterColon               // -u USER:SECRET
	afterPercent             // -U USER%SECRET
	afterComma               // -u USER,SECRET
	afterPass                // -passin pass:SECRET
	cookies                  // -b NAME=SECRET
)

// option is an option whose name does not say that it takes a secret.
type option struct {
	programs string
	word     string // the subcommand that must stand before it, if any
	names    string
	form     form
}

// options are what programs call their secrets. To add a program, add a line.
var options = []option{
	{"curl", "", "-u --user -U --proxy-user", afterColon},
	{"curl", "", "-b --cookie", cookies},
	{"curl", "", "--oauth2-bearer --pass --key-pass", whole},
	{"http https xh httpie", "", "-a --auth", afterColon},
	{"wget aria2c", "", "--http-passwd --ftp-password", whole},
	{"mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlslap mariadb mariadb-dump mariadb-admin mycli mysqlsh", "", "-p", attached},
	{"sshpass", "", "-p", either},
	{"redis-cli iredis valkey-cli keydb-cli redis-benchmark", "", "-a --pass", whole},
	{"docker podman nerdctl helm oras buildah crane regctl oc cf az skopeo ctr", "login", "-p", whole},
	{"skopeo buildah podman", "", "--creds --src-creds --dest-creds", afterColon},
	{"twine poetry cqlsh beeline mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat tctl rabbitmqadmin psexec psexec64 rdesktop xfreerdp hydra nxc crackmapexec " +
		"influx ncftpput ncftpget ncftp useradd usermod mssql-cli evil-winrm couchbase-cli cbq asadmin glab arangosh arangodump dsconf ilorest", "", "-p", whole},
	{"sqlcmd bcp isql osql tsql mosquitto_pub mosquitto_sub mosquitto_rr p4 ssh-keygen ipmitool", "", "-P", either},
	{"ssh-keygen", "", "-N", whole},
	{"zip unzip zipcloak zipnote", "", "-P", either},
	{"7z 7za 7zz 7zr", "", "-p", attached},
	{"rar unrar", "", "-p -hp", attached},
	{"ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd ldapcompare security wpscan vncdo", "", "-w",
		either},
	{"ldappasswd", "", "-s -a", whole},
	{"smbclient smbmap rpcclient smbget net nmblookup", "", "-U --user", afterPercent},
	{"lftp", "", "-u --user", afterComma},
	{"openssl", "", "-pass -passin -passout", afterPass},
	{"openssl", "enc", "-k -K", whole},
	{"keytool jarsigner apksigner", "", "-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass --ks-pass --key-pass", whole},
	{"doctl vercel codecov glab sentry-cli snyk civo hcloud scw", "", "-t --auth", whole},
	{"gh wrangler heroku fly flyctl netlify", "secret", "-b --body", whole},
	{"dotnet nuget choco", "", "-k -ApiKey", whole},
	{"netlify", "", "-a --auth", whole},
	{"snmpwalk snmpget snmpset snmpbulkwalk", "", "-A -X -c", whole},
	{"sudo", "", "--password", whole},
	{"git", "", "-p", afterPass},
	{"tailscale", "", "--authkey --auth-key", whole},
	{"ansible ansible-playbook", "", "--become-pass --ask", afterPass},
	{"gpg gpg2", "", "--passphrase", whole},
	{"ffmpeg", "", "-decryption_key -encryption_key", whole},
	{"pdftotext pdftoppm pdfimages qpdf", "", "-upw -opw", whole},
	{"swaks", "", "-ap", whole},
	{"oathtool", "", "-b", either},
	{"curl", "", "-E --cert --proxy-cert --tlsuser --tlspassword --delegation --ftp-account", afterColon},
	{"gem cargo", "", "--key --token", whole},
	{"az", "secret", "--value", whole},
	{"erl iex elixir werl", "", "-setcookie --cookie", whole},
	{"bw lpass keepassxc-cli", "", "--session --pw-stdin", whole},
	{"plink pscp psftp putty", "", "-pw -pwfile", whole},
	{"psexec winexe wmic", "", "-p /password:", whole},
	{"ffmpeg x11vnc", "", "-passwd -viewpasswd", whole},
	{"openconnect vpnc", "", "--token-secret --form-entry", whole},
	{"cmctl mcrcon rcon rcon-cli", "", "-p --password", whole},
	{"impala-shell hive beeline trino presto", "", "-p", whole},
	{"monero-wallet-cli geth", "", "--password --unlock", whole},
}
