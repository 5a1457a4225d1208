import type { AdServerBackend } from '../../src/ad-serving/backend.ts'
import { embeddedBackend } from '../../src/compose/embedded-ad-server.ts'
import type { DesiredCreative, LineSettings, OrderKey } from '../../src/domain/ad-serving/desired-order.ts'
import { type AgentOptions, startAgent, type TestAgent } from './start-agent.ts'

/** A browser that people use. */
export const CHROME = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

export const LINE: LineSettings = {
  productId: 'news_homepage_display',
  startsAt: '2026-03-01T00:00:00.000Z',
  endsAt: '2026-03-31T00:00:00.000Z',
  budgetMicros: 10_000_000_000,
  price: { model: 'cpm', basis: 'fixed', rateMicros: 10_000_000 },
  goalImpressions: null,
  priority: 'guaranteed',
  pacing: 'asap',
  targeting: null,
}

/** Formats of the agent; their address is put in when a creative is written. */
export const format = (id: string) => ({ agent_url: '', id })
const click = { asset_type: 'url', url: 'https://shop.example/landing?from={PLACEMENT_ID}' }

type OwnCreative = Omit<DesiredCreative, 'externalId' | 'contentVersion'>

/** Creatives of each kind, by the id that they are written under. */
export const CREATIVES: Readonly<Record<string, OwnCreative>> = {
  image: {
    name: 'Image',
    formatId: format('display_970x250'),
    assets: {
      image: { asset_type: 'image', url: 'https://cdn.example/a.png', width: 970, height: 250, format: 'png', alt_text: 'Boots' },
      click_url: click,
      impression_tracker: { asset_type: 'url', url: 'https://track.example/i?cb={CACHEBUSTER}' },
    },
  },
  html: {
    name: 'HTML',
    formatId: format('display_300x250_html5'),
    assets: {
      html: { asset_type: 'html', content: '<a id="go" href="{CLICK_URL}">Go</a><script>window.ran = true</script>' },
      click_url: click,
    },
  },
  native: {
    name: 'Native',
    formatId: format('native_content'),
    assets: {
      headline: { asset_type: 'text', content: 'Walk <b>further</b>' },
      cta: { asset_type: 'text', content: 'See the boots' },
      image: { asset_type: 'image', url: 'https://cdn.example/n.png', width: 1200, height: 628, format: 'png' },
      click_url: click,
    },
  },
  video: {
    name: 'Video',
    formatId: format('video_15s'),
    assets: {
      video: {
        asset_type: 'video',
        url: 'https://cdn.example/v.mp4',
        width: 1280,
        height: 720,
        duration_ms: 15_000,
        container_format: 'mp4',
      },
      click_url: click,
    },
  },
}

export interface AdPublisher extends TestAgent {
  readonly backend: AdServerBackend
  readonly origin: string
  readonly clock: () => Date
  setClock(iso: string): void
  /** Writes an order with one line that shows one of {@link CREATIVES}, and starts it. */
  sell(orderId: string, creative: string | OwnCreative, settings?: Partial<LineSettings>): Promise<OrderKey>
  /** Asks for ads as a page does. */
  decide(body: object, headers?: Record<string, string>): Promise<{ status: number; body: Decided }>
  get(url: string, headers?: Record<string, string>): Promise<Response>
}

/** An answer of the decision endpoint, as a page reads it. */
export interface Decided {
  readonly placements: readonly {
    readonly id: string
    readonly ad: {
      readonly kind: string
      readonly frame_url?: string
      readonly click_url?: string
      readonly events: Readonly<Record<string, string>>
      readonly trackers: readonly string[]
    } | null
  }[]
  readonly error?: { readonly code: string; readonly message: string; readonly field?: string }
}

/** The demo publisher with its embedded ad server, whose orders the test writes itself. */
export async function startAdPublisher(options: AgentOptions = {}): Promise<AdPublisher> {
  let now = new Date('2026-03-10T12:00:00Z')
  const clock = () => now
  const agent = await startAgent({ demo: true, clock, ...options })
  const { store, services } = agent.server
  const { agentUrl } = services.wiring
  const backend = embeddedBackend({
    store,
    config: agent.config,
    products: services.products,
    agentUrl,
    clock,
    safeFetch: options.safeFetch,
  })
  const origin = new URL(agent.url).origin
  const get: AdPublisher['get'] = (url, headers = {}) =>
    fetch(url, { headers: { 'User-Agent': CHROME, ...headers }, redirect: 'manual' })
  return {
    ...agent,
    backend,
    origin,
    clock,
    get,
    setClock(iso) {
      now = new Date(iso)
    },
    async sell(orderId, name, settings = {}) {
      const order = { tenantId: agent.tenant, externalId: orderId }
      const { budgetMicros, startsAt, endsAt } = { ...LINE, ...settings }
      const line = { externalId: `${orderId}-line` }
      const creative = typeof name === 'string' ? CREATIVES[name] : name
      if (!creative) throw new Error(`no creative ${name}`)
      const externalId = typeof name === 'string' ? name : name.name
      await backend.putOrder(order, { name: orderId, advertiserId: 'acc', currency: 'USD', budgetMicros, startsAt, endsAt })
      await backend.putCreative(order, {
        ...creative,
        formatId: { ...creative.formatId, agent_url: agentUrl },
        externalId,
        contentVersion: '1',
      })
      await backend.putLine(order, line, { ...LINE, ...settings })
      await backend.associate(order, line, [{ creativeExternalId: externalId, weight: null, placementIds: null }])
      await backend.setLineState(order, line, 'active')
      return order
    },
    async decide(body, headers = {}) {
      const answer = await fetch(`${origin}/ads/${agent.tenant}/decide`, {
        method: 'POST',
        headers: { 'User-Agent': CHROME, ...headers },
        body: JSON.stringify(body),
      })
      return { status: answer.status, body: decided(await answer.json()) }
    },
  }
}

/** Only what tests look at is looked at. */
function decided(value: unknown): Decided {
  if (typeof value !== 'object' || value === null) throw new Error(`no answer of the decision endpoint: ${JSON.stringify(value)}`)
  return { placements: [], ...value }
}
