import { type FetchPolicy, WELL_KNOWN_POLICY } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { CLOCK_SKEW_SECONDS } from '../../security/signing/profile.ts'
import { type Finding, ok, problem, skipped, warning } from './finding.ts'
import { type Probe, type ProbeOptions, probe } from './probe.ts'
import { connectionWords } from './words.ts'

const DAY_MS = 86_400_000
/** Public authorities renew a month ahead; less than this means that renewal failed. */
const RENEW_WITHIN_DAYS = 14
/** The `Date` header has whole seconds, and the way takes its time. */
const NOTICEABLE_SKEW_SECONDS = 5

/** TLS, certificate and clock of an https address. */
export async function examineConnection(url: URL, options: { readonly probe: ProbeOptions }): Promise<readonly Finding[]> {
  let seen: Probe
  try {
    seen = await probe(new URL('/.well-known/jwks.json', url), options.probe)
  } catch (error) {
    const [text, advice] = connectionWords(error)
    return [problem('connection', text, advice)]
  }
  return [connection(seen), certificate(seen), clock(seen)]
}

const PLAIN: FetchPolicy = { ...WELL_KNOWN_POLICY, redirects: 'none', contentTypes: undefined }

/** Whether something answers at a loopback address over plain HTTP; TLS, certificate and clock are not to be seen there. */
export async function examinePlainConnection(url: URL, safeFetch: SafeFetch): Promise<Finding> {
  try {
    await safeFetch(new URL('/.well-known/jwks.json', url).href, { policy: PLAIN })
    return skipped('connection', 'over plain HTTP there is no TLS, HSTS or certificate to examine')
  } catch (error) {
    const [text, advice] = connectionWords(error instanceof Error ? (error.cause ?? error) : error)
    return problem('connection', text, advice)
  }
}

function connection({ protocol, hsts }: Probe): Finding {
  if (hsts === undefined)
    return warning(
      'connection',
      `${protocol}, without HSTS`,
      'a proxy in front has to say X-Forwarded-Proto: https and be in trustedProxies',
    )
  return ok('connection', `${protocol} with HSTS`)
}

function certificate({ validTo, ownClock }: Probe): Finding {
  const days = Math.floor((validTo.getTime() - ownClock) / DAY_MS)
  const text = `the certificate is valid for ${days} more days`
  return days < RENEW_WITHIN_DAYS ? warning('certificate', text, 'renew it') : ok('certificate', text)
}

function clock({ serverClock, ownClock }: Probe): Finding {
  if (serverClock === undefined) return warning('clock', 'the server sends no Date', 'let the proxy pass the header on')
  const skew = Math.round((serverClock - ownClock) / 1000)
  const text = `the server's clock is ${Math.abs(skew)} seconds ${skew < 0 ? 'behind' : 'ahead of'} this machine's`
  if (Math.abs(skew) > CLOCK_SKEW_SECONDS)
    return problem('clock', text, `signatures are refused beyond ${CLOCK_SKEW_SECONDS} seconds: run NTP on both`)
  return Math.abs(skew) > NOTICEABLE_SKEW_SECONDS ? warning('clock', text, 'run NTP on both') : ok('clock', text)
}
