import {
  type InvoiceDocument,
  type InvoiceFacts,
  invoiceDocument,
  type LineFacts,
} from '../../src/domain/billing/invoice-document.ts'

const seller = {
  ...{ name: 'Acme Media AB', vatId: 'SE556677889901', registrationNumber: '556677-8899', email: 'money@acme.example' },
  address: { street: 'Storgatan 1', postalCode: '111 22', city: 'Stockholm', country: 'SE' },
  bank: { iban: 'SE4550000000058398257466', bic: 'ESSESESS' },
}
const buyer = {
  ...{ name: 'Käufer & Söhne GmbH', vatId: 'DE123456789' },
  address: { street: 'Weg 2', postalCode: '10115', city: 'Berlin', region: 'Berlin', country: 'DE' },
}
const FACTS: InvoiceFacts = {
  ...{ kind: 'invoice', number: '2026-03-0001', issuedOn: '2026-04-02', dueOn: '2026-05-02', currency: 'EUR', language: 'de' },
  ...{
    period: { first: '2026-03-01', last: '2026-03-31' },
    seller,
    buyer,
    buyerReference: 'acc_1',
    tax: { kind: 'reverse_charge' },
  },
}

export function sampleLine(grossMicros: number, more: Partial<LineFacts> = {}): LineFacts {
  return {
    ...{
      kind: 'delivery',
      serviceMonth: '2026-03',
      orderId: 'mb_1',
      lineId: 'mb_1-1',
      productId: 'news',
      name: 'News <top> & "more"',
    },
    ...{ unit: 'impressions', quantity: Math.round(grossMicros / 10_000), per: 1000, rateMicros: 10_000_000, grossMicros },
    ...more,
  }
}

const LINES = [
  sampleLine(333_333_333, { orderName: 'Frühling', poNumber: 'PO 7' }),
  sampleLine(12_345_678, { discountPercent: 12.5, commissionPercent: 15 }),
  sampleLine(-1_234_567, { kind: 'adjustment', serviceMonth: '2026-02', reason: 'late report' }),
  { ...sampleLine(50_000_000, { kind: 'charge', unit: 'fee', per: 1 }), quantity: undefined, rateMicros: undefined },
  sampleLine(8_641_969_000, { unit: 'days', quantity: 7, per: 1, rateMicros: 1_234_567_000 }),
  sampleLine(16_935_934_083, { unit: 'hours', quantity: 289, per: 529, rateMicros: 31_000_370_000, discountPercent: 3.33 }),
  sampleLine(1_234_000_000, { unit: 'percent', quantity: 12.34, per: 100, rateMicros: 10_000_000_000 }),
  sampleLine(31_000_370_000, { unit: 'fee', quantity: 1, per: 1, rateMicros: 31_000_370_000 }),
  sampleLine(-58_602_779, { kind: 'adjustment', unit: 'hours', quantity: -1, per: 529, rateMicros: 31_000_370_000 }),
  { ...sampleLine(-20_000_000, { kind: 'credit', unit: 'fee', per: 1 }), quantity: undefined, rateMicros: undefined },
].map(({ quantity, rateMicros, ...line }) => ({
  ...line,
  ...(quantity !== undefined && { quantity }),
  ...(rateMicros !== undefined && { rateMicros }),
}))

/** An invoice of reverse charge with every kind of line, or what is made of it. */
export function sampleInvoice(facts: Partial<InvoiceFacts> = {}, lines: readonly LineFacts[] = LINES): InvoiceDocument {
  return invoiceDocument({ ...FACTS, ...facts }, lines)
}
