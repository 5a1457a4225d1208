import { type Html, html } from '../console/html.ts'
import type { SellersDocument } from '../operator/seller-checks/check-document.ts'
import type { CheckResult, SellerReport } from '../operator/seller-checks/check-seller.ts'
import type { SignedReport } from '../operator/seller-checks/sign-report.ts'

const STYLE = html`<style>:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:72rem;margin:0 auto;padding:1rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{padding:.4rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}
td:first-child,th:first-child{min-width:16rem}
code,pre{overflow-wrap:anywhere;white-space:pre-wrap}
.broken{font-weight:700}
.broken::before{content:"✗ "}.held::before{content:"✓ "}
th[scope=row]{font-weight:400}
small{display:block}</style>`

/** The report as one page without scripts: checks down, sellers across. Whoever sends it on sends the signed file too. */
export function sellersPage(document: SellersDocument, { sha256, publicKey }: SignedReport): string {
  const { sellers, made_by: maker } = document
  return `<!doctype html>\n${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Promises of AdCP sellers</title>${STYLE}</head><body>
<h1>Promises of AdCP sellers</h1>
<p>Played by ${maker.name} ${maker.version} from ${document.started_at} to ${document.ended_at}, with the brief “${document.brief}”. It is no certificate: it says what was seen on this day, with these keys. “Not verified” is neither good nor bad.</p>
<div class="wide"><table><thead><tr><th scope="col">Seller</th>${sellers.map(({ url }) => html`<th scope="col">${url}</th>`)}</tr></thead><tbody>
${facts(sellers)}
${rowsOf(sellers)}
</tbody></table></div>
<h2>How to check this report</h2>
<p>The page is made from the JSON file beside it, SHA-256 <code>${sha256}</code>, whose signature (JWS, detached) is in the <code>.jws</code> file. The key: <code>${publicKey.kid}</code>. A key that was made for the report shows that it was not changed since, and not who made it.</p>
</body></html>`.text
  }\n`
}

function facts(sellers: readonly SellerReport[]): readonly Html[] {
  const lines: readonly [string, (seller: SellerReport) => string][] = [
    ['Calls itself', ({ server_name: name }) => name ?? 'not said'],
    ['Releases that it declares', ({ releases }) => releases.join(', ') || 'none'],
    ['Held, broken, not verified', ({ counts }) => `${counts.held}, ${counts.broken}, ${counts.not_verified}`],
    [
      'Official storyboards',
      ({ stories }) =>
        stories
          ? `${stories.source}: ${stories.steps.passed} steps passed, ${stories.steps.failed} failed, ${stories.steps.skipped} skipped`
          : 'not played',
    ],
    [
      'Time of an answer',
      ({ pace }) =>
        pace
          ? `median ${pace.median_ms} ms, slowest ${pace.slowest_ms} ms of ${pace.calls}, ${pace.at_once} at once`
          : 'not seen',
    ],
  ]
  return lines.map(
    ([name, of]) => html`<tr><th scope="row">${name}</th>${sellers.map((seller) => html`<td>${of(seller)}</td>`)}</tr>`,
  )
}

function rowsOf(sellers: readonly SellerReport[]): readonly Html[] {
  const titles = new Map(sellers.flatMap(({ checks }) => checks.map(({ id, title }) => [id, title] as const)))
  return [...titles].map(([id, title]) => {
    const cells = sellers.map(({ checks }) => cellOf(checks.find((check) => check.id === id)))
    return html`<tr><th scope="row">${title}<small><code>${id}</code></small></th>${cells}</tr>`
  })
}

function cellOf(check: CheckResult | undefined): Html {
  if (!check) return html`<td>not played</td>`
  const calls =
    check.steps.length > 0 && html`<small>${check.steps.length} ${check.steps.length === 1 ? 'call' : 'calls'}</small>`
  return html`<td class="${check.outcome === 'not verified' ? 'unverified' : check.outcome}">${check.outcome}${check.because !== undefined && html`<small>${check.because}</small>`}${calls}</td>`
}
