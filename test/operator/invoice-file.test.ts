import { afterAll, beforeAll, expect, it } from 'vitest'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { INVOICE_FORMS, invoiceFile } from '../../src/operator/billing/invoice-file.ts'
import { setInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
import { workbookRows } from '../../src/platform/decode/workbook-rows.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let viewer: ConsoleClient
let now = new Date('2026-03-01T12:00:00.000Z')
const INVOICE = '2026-03-0001'
const operator = () => operatorBeside(agent, () => now)
const fileOf = async (format: string) => {
  const answer = await performAs(operator(), agent.tenant, invoiceFile, { invoice: INVOICE, format })
  return { ...answer, bytes: Buffer.from(answer.content_base64, 'base64') }
}

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now })
  const format_id = { agent_url: agent.url, id: 'display_300x250' }
  const image = { asset_type: 'image', url: 'https://cdn.brand.example/a.png', width: 300, height: 250 }
  const click_url = { asset_type: 'url', url: 'https://brand.example/', url_type: 'clickthrough' }
  await agent.run('sync_creatives', { creatives: [{ creative_id: 'a', name: 'A', format_id, assets: { image, click_url } }] })
  const packages = [100, 233.33].map((budget) => {
    return { product_id: 'news', pricing_option_id: 'cpm', budget, creative_assignments: [{ creative_id: 'a' }] }
  })
  const { isError, data } = await agent.create({ packages, po_number: `PO ${'7'.repeat(5_000)}` })
  if (isError) throw new Error(JSON.stringify(data))
  now = new Date('2026-04-02T08:00:00.000Z')
  await performAs(operator(), agent.tenant, setInvoicing, { legal_name: 'Acme Media AB', tax_rules: ['*=25'] })
  await performAs(operator(), agent.tenant, closeMonth, { month: '2026-03' })
  viewer = await signedIn(agent, 'viewer', 'viewer', agent.tenant)
})
afterAll(() => agent.stop())

it('a workbook and CSV have a row a line, with names beside ids, that add up to the invoice', async () => {
  const { total } = await performAs(operator(), agent.tenant, showInvoice, { invoice: INVOICE })
  const sheet = await fileOf('xlsx')
  const rows: (readonly string[])[] = []
  for await (const { cells } of workbookRows({ bytes: sheet.bytes })) rows.push(cells)
  const csv = (await fileOf('csv')).bytes.toString().trim().split('\r\n')
  expect(rows.length).toBe(3)
  expect(rows.map((cells) => cells.length)).toEqual([rows[0]?.length, rows[0]?.length, rows[0]?.length])
  expect(rows[0]?.join(',')).toBe(csv[0])
  const micros = (cells: readonly (readonly string[])[]) =>
    cells.reduce((sum, row) => sum + Math.round(Number(row.at(-1)) * 1e6), 0)
  expect(micros(rows.slice(1))).toBe(Math.round(total * 1e6))
  expect(micros(csv.slice(1).map((row) => row.split(',')))).toBe(Math.round(total * 1e6))
  expect(rows[1]?.[rows[0]?.indexOf('product_name') ?? -1]).toBe('news')
})

it('CSV and workbook have the tax of each line, which add up to that of the invoice and to what has to be paid', async () => {
  const { tax, payable } = await performAs(operator(), agent.tenant, showInvoice, { invoice: INVOICE })
  const [head = '', ...rows] = (await fileOf('csv')).bytes.toString().trim().split('\r\n')
  const column = (name: string) => rows.map((row) => row.split(',')[head.split(',').indexOf(name)])
  expect([tax, payable]).toEqual([83.33, 416.66])
  expect([column('tax_code'), column('tax_percent')]).toEqual([
    ['S', 'S'],
    ['25', '25'],
  ])
  expect(column('tax')).toEqual(['25', '58.33'])
  expect(column('payable_with_tax')).toEqual(['125', '291.66'])
})

it('a purchase order of thousands of characters is cut, so that each line stays a line', async () => {
  const { lines } = await performAs(operator(), agent.tenant, showInvoice, { invoice: INVOICE })
  for (const { po_number: order } of lines) expect(order).toBe(`PO ${'7'.repeat(251)}…`)
})

it('a PDF is a document of one page that says what it is', async () => {
  const { bytes, name, media_type } = await fileOf('pdf')
  expect([name, media_type]).toEqual(['invoice-2026-03-0001.pdf', 'application/pdf'])
  const text = bytes.toString('latin1')
  expect(text.slice(0, 5)).toBe('%PDF-')
  expect(text).toContain('(Invoice 2026-03-0001)')
  expect(text.match(/\/Type \/Page\b/g)?.length).toBe(1)
})

it('UBL says what is missing, where an address is', async () => {
  const refusal = expect.objectContaining({ code: 'INVALID_STATE', message: expect.stringContaining('the address of who pays') })
  await expect(fileOf('ubl')).rejects.toEqual(refusal)
})

it('the console has the files, for everybody who may read', async () => {
  const base = `/console/t/${agent.tenant}/billing/${INVOICE}`
  const { text } = await viewer.get(base)
  for (const form of INVOICE_FORMS) expect(text).toContain(`${base}/${form}`)
  const pdf = await viewer.get(`${base}/pdf`)
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  expect(pdf.headers.get('content-disposition')).toContain('invoice-2026-03-0001.pdf')
  const refused = await viewer.get(`${base}/ubl`)
  expect([refused.status < 500, refused.text.includes('EN 16931 asks for')]).toEqual([true, true])
  expect((await viewer.get(`${base}/docx`)).status).toBe(400)
})
