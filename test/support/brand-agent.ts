import { randomUUID } from 'node:crypto'
import type { BrandsFile, RightsOffering } from '../../src/domain/brand/brands-file.ts'
import { FetchFailure } from '../../src/platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../src/platform/net/safe-fetch.ts'
import { saveBrands } from '../../src/store/brand/brands.ts'
import type { AgentClient, TaskReply } from './client.ts'
import { type AgentOptions, startAgent, type TestAgent } from './start-agent.ts'

export const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
export const START = '2026-03-01T12:00:00Z'
const HOUSE = { domain: 'fable.example', name: 'Fable House' }

/** A drawn figure that can be licensed at once, by the month, by impressions or exclusively. */
export const FIGURE: RightsOffering = {
  rights_id: 'heron',
  brand_id: 'heron',
  name: 'The paper heron',
  description: 'Drawn heron for image generation in campaigns about nature',
  right_type: 'character',
  available_uses: ['likeness', 'commercial', 'ai_generated_image'],
  countries: ['US', 'DE', 'NL'],
  excluded_countries: ['NL'],
  content_restrictions: ['the heron is never caged'],
  pricing_options: [
    {
      pricing_option_id: 'month',
      model: 'flat_rate',
      price: 100,
      currency: 'USD',
      uses: ['likeness', 'commercial'],
      period: 'monthly',
      impression_cap: 1000,
    },
    { pricing_option_id: 'cpm', model: 'cpm', price: 2, currency: 'USD', uses: ['likeness', 'commercial'] },
    {
      pricing_option_id: 'only',
      model: 'flat_rate',
      price: 900,
      currency: 'USD',
      uses: ['likeness', 'commercial'],
      period: 'monthly',
      exclusive: true,
    },
    {
      pricing_option_id: 'images',
      model: 'flat_rate',
      price: 50,
      currency: 'USD',
      uses: ['ai_generated_image'],
      period: 'one_time',
    },
  ],
  clearance: {
    excluded_industries: ['tobacco'],
    excluded_domains: ['rival.example'],
    restrictions: ['keep its proportions'],
    disclosure: { required: true, text: 'Made with AI' },
    generation_providers: [{ provider: 'studio', endpoint: 'https://studio.example/v1', uses: ['likeness'] }],
  },
}

/** Music that a person licenses, and whose use a person looks at. */
export const MUSIC: RightsOffering = {
  rights_id: 'tune',
  brand_id: 'heron',
  name: 'Morning tune',
  description: 'Music for video',
  right_type: 'music',
  available_uses: ['sync', 'background_music'],
  pricing_options: [
    {
      pricing_option_id: 'year',
      model: 'flat_rate',
      price: 400,
      currency: 'EUR',
      uses: ['sync', 'background_music'],
      period: 'annual',
    },
  ],
  clearance: { approval: 'manual', creative_review: 'manual', response_time: '48h' },
}

export const BRANDS: BrandsFile = {
  version: 1,
  house: HOUSE,
  brands: [
    {
      brand_id: 'heron',
      names: [{ en: 'Heron', de: 'Reiher' }],
      description: 'Paper things',
      industries: ['crafts'],
      tagline: 'Fold it.',
      logos: [{ url: 'https://fable.example/s.png' }, { url: 'https://fable.example/xl.png', audience: 'linked' }],
      colors: { primary: '#112233' },
      tone: { voice: 'calm' },
      voice_synthesis: { provider: 'voices', voice_id: 'heron' },
      assets: [
        { asset_id: 'sheet', asset_type: 'image', url: 'https://fable.example/sheet.png', uses: ['likeness'] },
        { asset_id: 'jingle', asset_type: 'audio', url: 'https://fable.example/jingle.mp3', uses: ['sync'] },
      ],
    },
    { brand_id: 'plain', names: [{ en: 'Plain' }] },
  ],
  rights: [FIGURE, MUSIC],
  offerings: [
    {
      offering_id: 'kits',
      brand_id: 'heron',
      summary: 'Paper kits to fold.',
      tagline: 'Fold a heron today.',
      landing_url: 'https://fable.example/kits',
      checkout_url: 'https://checkout.fable.example/acp',
      products: [
        {
          product_id: 'small',
          name: 'Small kit',
          description: 'Twenty sheets for beginners',
          price: '$9',
          url: 'https://fable.example/small',
          keywords: ['beginner', 'child'],
        },
        {
          product_id: 'large',
          name: 'Large kit',
          description: 'Two hundred sheets',
          price: '$39',
          availability_summary: '3 left',
          keywords: ['studio'],
        },
        {
          product_id: 'course',
          name: 'Folding course',
          description: 'An evening with paper',
          url: 'https://fable.example/course',
          keywords: ['learn'],
        },
      ],
    },
    {
      offering_id: 'old',
      brand_id: 'heron',
      summary: 'Last year.',
      expires_at: '2026-01-01T00:00:00Z',
      alternative_offering_ids: ['kits', 'gone'],
    },
  ],
}

/** The brand.json of a tobacco brand; nothing else is there. */
const brandFiles: SafeFetch = async (url) => {
  if (url !== 'https://cigars.example/.well-known/brand.json') throw new FetchFailure('dns', 'no such host')
  const file = { house_domain: 'smoke.example', id: 'cigars', names: [{ en: 'Cigars' }], industries: ['tobacco'] }
  const answer = { etag: undefined, lastModified: undefined, retryAfter: undefined }
  return { ...answer, status: 200, url, body: Buffer.from(JSON.stringify(file)), contentType: 'application/json' }
}

/** An agent with brands, a buyer with an account, and a clock in the test's hand. */
export interface BrandAgent extends TestAgent {
  setClock(iso: string): void
  /** Calls a mutating task with a fresh idempotency key. */
  run(task: string, args: object, client?: AgentClient): Promise<TaskReply>
  acquire(overrides?: Record<string, unknown>, client?: AgentClient): Promise<TaskReply>
  import(file: BrandsFile): Promise<void>
}

export async function startBrandAgent(
  options: AgentOptions = {},
  webhook = 'https://93.184.215.14/revoked',
): Promise<BrandAgent> {
  let now = new Date(START)
  const agent = await startAgent({ clock: () => now, safeFetch: brandFiles, ...options })
  const save = (file: BrandsFile) => agent.server.store.transaction((tx) => saveBrands(tx, agent.tenant, file, now))
  await save(BRANDS)
  const run: BrandAgent['run'] = (task, args, client = agent.buyer) =>
    client.call(task, { idempotency_key: randomUUID(), ...args })
  await run('sync_accounts', { accounts: [{ ...ACCOUNT, billing: 'operator' }] })
  return {
    ...agent,
    run,
    import: save,
    setClock(iso) {
      now = new Date(iso)
    },
    acquire: ({ campaign, ...overrides } = {}, client) =>
      run(
        'acquire_rights',
        {
          rights_id: 'heron',
          pricing_option_id: 'month',
          buyer: { domain: 'brand.example' },
          revocation_webhook: { url: webhook },
          ...overrides,
          campaign: {
            description: 'Spring',
            uses: ['likeness'],
            start_date: '2026-03-10',
            end_date: '2026-04-20',
            ...(typeof campaign === 'object' ? campaign : {}),
          },
        },
        client,
      ),
  }
}
