/** What a page says of the visitor's consent. */
export interface Consent {
  readonly gdpr?: boolean
  /** TC string (IAB TCF 2.2). */
  readonly tcf?: string
  /** GPP string (IAB GPP 1.1). */
  readonly gpp?: string
}

/** TCF policies, purpose 1: store and access information on a device. The id that a page gives was read from there. */
const STORAGE = 1

/** Members of GPP sections of the US and its states that are an opt-out, and the value that says so. */
const OPT_OUTS = ['SaleOptOut', 'SharingOptOut', 'TargetedAdvertisingOptOut']
const OPTED_OUT = 1
/** The member of the older section for the US (`uspv1`), whose values are letters. */
const OPT_OUT_OF_SALE = 'OptOutSale'

type Says = 'yes' | 'no' | 'nothing'

/**
 * Whether the publisher's id of a visitor may be used. Only where the page says so: the GDPR does not apply, or a TC string, its own or in a GPP
 * string, has consent to purpose 1; and no GPP section has an opt-out or a Global Privacy Control. A string that cannot be read is no consent.
 */
export async function allowsId({ gdpr, tcf, gpp }: Consent): Promise<boolean> {
  const inGpp = gpp === undefined ? 'nothing' : await gppSays(gpp)
  if (inGpp === 'no') return false
  if (gdpr === false || inGpp === 'yes') return true
  return tcf !== undefined && (await tcfAllows(tcf))
}

/** The libraries are loaded with the first string: most pages outside of Europe never send one. */
async function tcfAllows(tcf: string): Promise<boolean> {
  const { TCString } = await import('@iabtcf/core')
  try {
    return TCString.decode(tcf).purposeConsents.has(STORAGE)
  } catch {
    return false
  }
}

async function gppSays(gpp: string): Promise<Says> {
  const { GppModel } = await import('@iabgpp/cmpapi')
  try {
    const sections = Object.entries<unknown>(new GppModel(gpp).toObject()).map(([name, section]) => sectionSays(name, section))
    return sections.find((each) => each === 'no') ?? sections.find((each) => each === 'yes') ?? 'nothing'
  } catch {
    return 'no'
  }
}

function sectionSays(name: string, section: unknown): Says {
  if (typeof section !== 'object' || section === null) return 'nothing'
  if (OPT_OUTS.some((member) => Reflect.get(section, member) === OPTED_OUT)) return 'no'
  // A browser's Global Privacy Control, as the consent platform heard it.
  if (Reflect.get(section, 'Gpc') === true || Reflect.get(section, OPT_OUT_OF_SALE) === 'Y') return 'no'
  const purposes: unknown = name === 'tcfeuv2' ? Reflect.get(section, 'PurposeConsents') : undefined
  if (!Array.isArray(purposes)) return 'nothing'
  return purposes[STORAGE - 1] === true ? 'yes' : 'no'
}
