/** When {@link VAT_RATES} was checked. */
export const VAT_RATES_AS_OF = '2026-01-01'

/** Standard rates of VAT by country (ISO 3166-1), per cent: those of the member states of the European Union. */
const EU_RATES: Readonly<Record<string, number>> = {
  ...{ AT: 20, BE: 21, BG: 20, CY: 19, CZ: 21, DE: 19, DK: 25, EE: 24, ES: 21, FI: 25.5, FR: 20, GR: 24, HR: 25, HU: 27 },
  ...{ IE: 23, IT: 22, LT: 21, LU: 17, LV: 21, MT: 18, NL: 21, PL: 23, PT: 23, RO: 21, SE: 25, SI: 22, SK: 23 },
}

/** Standard rates of VAT by country, per cent; countries that are absent have no rate of their own here. */
export const VAT_RATES: Readonly<Record<string, number>> = { ...EU_RATES, CH: 8.1, GB: 20, IS: 24, NO: 25 }

/** Whether a country is a member state of the European Union. */
export function isInEu(country: string): boolean {
  return Object.hasOwn(EU_RATES, country)
}
