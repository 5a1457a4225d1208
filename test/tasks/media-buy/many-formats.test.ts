import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { standardFormatIds } from '../../../src/domain/creative/formats/standard-formats.ts'
import type { ProductDocument } from '../../../src/domain/product/products-file.ts'
import { saveProducts } from '../../../src/store/product/save-products.ts'
import { summarizeProducts } from '../../../src/tasks/media-buy/summaries.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'
import { DEMO_ACCOUNT } from '../../support/start-agent.ts'
import { BRIEFS, expectShortAnswers, tokensOf } from '../../support/tokens-of-answers.ts'

const FORMATS = [...standardFormatIds]

interface Row {
  readonly product_id: string
  readonly format_ids?: readonly { readonly id: string }[]
  readonly format_options?: readonly { readonly format_option_id: string; readonly format_kind: string }[]
  readonly pricing_options: readonly { readonly pricing_option_id: string; readonly fixed_price?: number }[]
  readonly ext?: { readonly more_format_options?: number }
}

describe.each([12, 24])('products of %i formats each', (count) => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startReleaseAgent({ conformance: false })
    await agent.server.store.transaction(async (tx) => {
      const rows = await tx.selectFrom('products').select('document').where('tenant_id', '=', agent.tenant).execute()
      const products = rows.map(({ document }, index) => {
        const product = JSON.parse(document) as ProductDocument
        const formats = Array.from({ length: count }, (_each, place) => FORMATS[(place + index) % FORMATS.length] ?? '')
        return { ...product, format_ids: formats }
      })
      await saveProducts(tx, agent.tenant, { version: 1, products }, { merge: true }, new Date('2026-03-16T12:00:00Z'))
    })
  }, 120_000)
  afterAll(() => agent?.stop())

  test.each(LINES.flatMap((line) => BRIEFS.map((brief) => [line, brief] as const)))(
    'cost 5,000 tokens in a brief and 6,000 in a refinement, under AdCP %s: "%s"',
    (line, brief) => expectShortAnswers(agent, line, brief),
  )

  test.each(BRIEFS)('cost 5,000 tokens where no release is named: "%s"', async (brief) => {
    const { data } = await agent.buyer.call('get_products', { buying_mode: 'brief', brief })
    expect(data.products).toHaveLength(8)
    expect(tokensOf(data)).toBeLessThanOrEqual(5_000)
  })

  test.each(LINES)(
    'under AdCP %s what is left out is counted, listed in the two ways that are named, and bought',
    async (line) => {
      const brief = { buying_mode: 'brief', brief: 'Outdoor video' }
      const { data } = await agent.ask(line, 'get_products', brief)
      const rows: readonly Row[] = data.products
      const cut = rows.filter(({ ext }) => ext?.more_format_options !== undefined)
      expect(cut.length).toBeGreaterThan(0)
      for (const { ext, format_options = [] } of cut) expect((ext?.more_format_options ?? 0) + format_options.length).toBe(count)
      const note = data.ext.notes.find((each: string) => each.startsWith('ext.more_format_options counts formats'))
      expect(note).toContain(cut.map(({ product_id }) => product_id).join(', '))
      expect(note).toContain('fields ["format_options"]')
      expect(summarizeProducts(data)).toContain(note)

      const fields = await agent.ask(line, 'get_products', { ...brief, fields: ['format_options'] })
      const [row] = cut
      const byFields = (fields.data.products as Row[]).find(({ product_id }) => product_id === row?.product_id)
      expect(byFields?.format_options).toHaveLength(count)
      const refine = [{ scope: 'product', product_id: row?.product_id, action: 'include' }]
      const named = await agent.ask(line, 'get_products', { buying_mode: 'refine', refine })
      expect((named.data.products as Row[]).map(({ format_options }) => format_options?.length)).toEqual([count])
      const feed = await agent.ask(line, 'get_products', { buying_mode: 'wholesale' })
      for (const { format_options } of feed.data.products as Row[]) expect(format_options).toHaveLength(count)

      const last = byFields?.format_options?.find(
        ({ format_option_id: id }) => !row?.format_options?.some(({ format_option_id }) => format_option_id === id),
      )
      const pricing = row?.pricing_options[0]
      const selector =
        line === '3.0'
          ? { format_ids: byFields?.format_ids?.filter(({ id }) => id === last?.format_option_id) }
          : { format_option_refs: [{ scope: 'product', format_option_id: last?.format_option_id }] }
      const created = await agent.ask(line, 'create_media_buy', {
        account: DEMO_ACCOUNT,
        brand: DEMO_ACCOUNT.brand,
        start_time: '2026-04-01T00:00:00Z',
        end_time: '2026-05-01T00:00:00Z',
        packages: [
          {
            product_id: row?.product_id,
            pricing_option_id: pricing?.pricing_option_id,
            budget: 5_000,
            bid_price: 30,
            ...selector,
          },
        ],
      })
      expect(created.data.media_buy_id ?? created.data.status, JSON.stringify(created.data)).toBeDefined()
      expect(created.isError, JSON.stringify(created.data)).toBeFalsy()
    },
  )

  test('formats that a filter names are shown before others', async () => {
    const last = FORMATS[count - 1] ?? ''
    const { data: all } = await agent.ask('3.0', 'get_products', { buying_mode: 'wholesale' })
    const wanted = (all.products as Row[]).flatMap(({ format_ids = [] }) => format_ids).find(({ id }) => id === last)
    const filters = { format_ids: [wanted] }
    const { data } = await agent.ask('3.0', 'get_products', { buying_mode: 'brief', brief: 'Outdoor video', filters })
    for (const { format_ids = [] } of data.products as Row[]) expect(format_ids.map(({ id }) => id)).toContain(last)
  })
})
