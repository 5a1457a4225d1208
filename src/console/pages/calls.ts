import type { ServerResponse } from 'node:http'
import { showCalls, WATCH_TEXT, watchCallsOf } from '../../operator/buyers/watch-calls.ts'
import type { RecordedCall, WatchedAgent } from '../../pipeline/record-calls.ts'
import { beginEvents } from '../../transports/http/respond.ts'
import type { ConsoleParts } from '../console-parts.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import { act, badge, empty, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

type Parts = Pick<ConsoleParts, 'watchedCalls'>

/** A browser connects again after this; its session is checked then. */
const LIFE_MS = 15 * 60_000
/** A comment now and then, so that proxies do not close the stream. */
const BEAT_MS = 20_000

/** The newest calls of a buyer: request, steps of the pipeline, answer and times. */
export function callRoutes(parts: Parts): readonly ConsoleRoute[] {
  return [
    actRoute('GET', '/buyers/{id}/calls', showCalls, (call) => callsPage(call, parts)),
    actRoute('POST', '/buyers/{id}/calls', watchCallsOf, (call) => startWatching(call, parts)),
    actRoute('GET', '/buyers/{id}/calls/live', showCalls, async (call) => stream(call, parts)),
  ]
}

async function callsPage(call: TenantCall, { watchedCalls }: Parts): Promise<Answer> {
  const watched = watchedOf(call)
  const { name } = await doAct(call, showCalls, { buyer: watched.principalId })
  const until = watchedCalls.watchedUntil(watched)
  const calls = watchedCalls.calls(watched)
  const path = pathOf(call)
  const start =
    may(call, watchCallsOf) &&
    act(call, path, until ? `Record for ${WATCH_TEXT} from now on` : `Record its calls for ${WATCH_TEXT}`, { kind: 'primary' })
  const none = until
    ? empty('No call yet', 'A call appears here as soon as it is answered.')
    : empty('Its calls are not recorded', 'Nothing is kept before somebody starts it, and nothing on disk.')
  const body = html`${heading(`Calls of ${name}`, start, 'The newest 50, in the memory of this process. Credentials and identifiers of people are left out.')}
${until && html`<p class="soft">Recorded until ${moment(until.toISOString())}.</p>`}
${calls.length === 0 ? none : calls.map(callPanel)}`
  return page(`Calls of ${name}`, body, { live: `${path}/live` })
}

function callPanel({ requestId, at, transport, task, outcome, ms, steps, request, answer }: RecordedCall): Html {
  const rows = steps.map(({ name, ms: own, failed }) => [
    words(name),
    failed ? badge('refused', 'bad') : badge('passed', 'good'),
    milliseconds(own),
  ])
  return html`<section class="panel"><details id="c-${requestId}"><summary><code>${task}</code> ${outcome === 'ok' ? badge('ok', 'good') : badge(outcome, 'bad')} ${milliseconds(ms)} · ${transport} · <time datetime="${at.toISOString()}">${at.toISOString().slice(11, 23)}</time></summary>
<div class="columns"><div><h3>Request</h3><pre>${request}</pre></div><div><h3>Answer</h3><pre>${answer}</pre></div></div>
<h3>Steps</h3>${table(`Steps of ${requestId}`, ['Step', 'Outcome', { title: 'Own time', numeric: true }], rows)}
<p class="soft">Request <code>${requestId}</code></p></details></section>`
}

/** `rejectCredentials` as `Reject credentials`. */
function words(name: string): string {
  const text = name.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(2)} ms`
}

async function startWatching(call: TenantCall, { watchedCalls }: Parts): Promise<Answer> {
  const watched = watchedOf(call)
  const { until } = await doAct(call, watchCallsOf, { buyer: watched.principalId })
  watchedCalls.watch(watched, until)
  return redirect(pathOf(call), 'watching')
}

function stream(call: TenantCall, { watchedCalls }: Parts): Answer {
  return {
    kind: 'stream',
    start(response: ServerResponse) {
      beginEvents(response)
      response.write('retry: 3000\n\n')
      // One that waits to be taken says the same as another would.
      const tell = () => response.writableNeedDrain || response.write('event: change\ndata: call\n\n')
      const stop = watchedCalls.follow(watchedOf(call), tell)
      const beats = setInterval(() => response.write(': still here\n\n'), BEAT_MS).unref()
      const life = setTimeout(() => response.end(), LIFE_MS).unref()
      response.on('close', () => {
        stop()
        clearInterval(beats)
        clearTimeout(life)
      })
    },
  }
}

function watchedOf({ tenantId, params }: TenantCall): WatchedAgent {
  return { tenantId, principalId: params.id ?? '' }
}

function pathOf({ base, params }: TenantCall): string {
  return `${base}/buyers/${encodeURIComponent(params.id ?? '')}/calls`
}
