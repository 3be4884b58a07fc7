// Words of a receiver's answer that may be kept because they name nothing: words of HTTP, of proxies' error pages, of
// payments. Any other word may be a person's name. Words that are common names too (Grace, Long, Mark, May, Page,
// Price) are left out.

const words = `
  about above absent accept acceptable accepted access account accounts action active address after again agent agreement all allowed already
  amount amounts an and any api application are array as at attempt authentication authorisation authorization authorised authorized available
  away back backend bad balance bank be because been before below between bic bicfi body both branch broken business busy but by bytes
  cancelled cannot certificate check checksum clearing client close closed code codes collection conflict connect connection connections
  contact content contract control could created creation credit creditor currency cut data database date dates days debit debtor
  declared delivered denied detail details did different digits direct disabled does done down due duplicate during
  element empty enabled end endpoint ended entity entry error errors exceeded exceeds exception exist exists expected expired expires
  failed fails failure field fields file final first for forbidden form format found from gateway generic got had has have header headers host html http
  https iban id identification identifier identifiers if ignored in incorrect information initiating input insolvent insufficient internal invalid
  inactive inbound instructed instructing instruction is it item its json key known late later length less limit limited limits list
  load locked lookup maintenance mandate many match maximum media member message messages method minimum minutes missing more moved must
  near need network never new next no none not nothing number object of off offline on once one only open operation or original
  other out outbound outside overloaded parameter parse parsing party path payload payment pending period permanently permission permitted
  please policy port posting previous problem process processed processing property proxy queue quota rate reached read reason received receiver
  redirect reference refused rejected remittance repeat repeated request requested requests required reset resource response responses
  retry same scheme schema seconds see seen sender sent sequence server service session settlement should signature size slow
  socket sorry stack started state status stopped stream string structured support supported supplementary suspended syntax system temporarily
  temporary than that the then there this throttled time timed timeout timestamp title to token too transaction transactions transfer try
  type unable unauthorised unauthorized unavailable under unexpected unexpectedly unit unknown unprocessable unsupported until
  up upstream uetr unstructured url used user validation value values version via violation was web went were when which while window with
  within without wrong xml yet you your zone
  apache cloudflare envoy haproxy iis nginx openresty tomcat undici varnish
  closing connector credentials disconnect encoding exhausted firewall handshake incident loop microsoft origin parser reachable recv refresh
  respond responded responding restarting resolve resolved routing saturated ssl terminated tls trace tunnel unhealthy unresponsive
  accc accp acsc acsp canc pdng rjct
`;

export const answerWords: ReadonlySet<string> = new Set(words.split(/\s+/).filter((word) => word !== ""));
