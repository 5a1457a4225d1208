import { decode } from '../../platform/decode/decode.ts'
import { DecodeFault } from '../../platform/decode/decode-fault.ts'
import { type CallParts, type Repeatability, repeated, send } from './calls.ts'
import type { Message } from './client.ts'
import { GamOutage } from './gam-error.ts'
import { childOf, elementsOf, type SoapParameters } from './soap-elements.ts'
import { soapError } from './soap-error.ts'

export const GAM_SOAP_ENDPOINT = 'https://ads.google.com'
/** What tokens for the SOAP API are asked for. */
export const GAM_SOAP_SCOPE = 'https://www.googleapis.com/auth/dfp'

const APPLICATION = 'adcp-sales-agent'

/** Services of the SOAP API that are called. */
export type SoapService = 'CreativeService' | 'ForecastService' | 'LineItemCreativeAssociationService' | 'LineItemService'

/** The SOAP API of one network. Throws {@link GamOutage} when there is no usable answer, AdcpError when the API refuses. */
export interface SoapClient {
  /** What a call gives (`rval`): elements of one name are a list. */
  call(service: SoapService, method: string, parameters: SoapParameters, kind: Repeatability): Promise<readonly Message[]>
}

export interface SoapClientParts extends CallParts {
  readonly networkCode: string
  /** Origin of the API. */
  readonly endpoint: string
  /** E.g. `v202608`. */
  readonly version: string
}

export function createSoapClient(parts: SoapClientParts): SoapClient {
  const { endpoint, version } = parts
  return {
    call: (service, method, parameters, kind) =>
      repeated(parts, kind, async () => {
        const body = await send(parts, {
          url: `${endpoint}/apis/ads/publisher/${version}/${service}`,
          accept: 'text/xml',
          content: { type: 'text/xml; charset=utf-8', text: await envelope(parts, method, parameters) },
          headers: { soapaction: '""' },
          errorOf: async (status, text, retryAfterSeconds) => soapError(status, await faultIn(text), retryAfterSeconds),
        })
        const answer = childOf(await bodyOf(body), `${method}Response`)
        if (answer === undefined) throw new GamOutage(`Google Ad Manager answers ${method} without a result`, 'unknown')
        return elementsOf(answer, 'rval')
      }),
  }
}

/** A SOAP 1.1 envelope of the document style, whose elements are all in the namespace of the version. */
async function envelope({ networkCode, version }: SoapClientParts, method: string, parameters: SoapParameters): Promise<string> {
  const { writeXml } = await import('../../platform/decode/write-xml.ts')
  const namespace = `https://www.google.com/apis/ads/publisher/${version}`
  const header = { '@xmlns': namespace, networkCode, applicationName: APPLICATION }
  return writeXml({
    'soap:Envelope': {
      '@xmlns:soap': 'http://schemas.xmlsoap.org/soap/envelope/',
      '@xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      '@xmlns:p': namespace,
      'soap:Header': { RequestHeader: header },
      'soap:Body': { [method]: { '@xmlns': namespace, ...parameters } },
    },
  })
}

async function bodyOf(bytes: Uint8Array): Promise<Message> {
  try {
    const [body] = await decode('soap', { bytes })
    return body ?? {}
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    throw new GamOutage(`the answer of Google Ad Manager ${error.message}`, 'unknown', undefined, error)
  }
}

/** The fault of an answer; undefined: it has none that can be read. */
async function faultIn(text: string): Promise<Message | undefined> {
  const body = await bodyOf(Buffer.from(text)).catch(() => undefined)
  return body && childOf(body, 'Fault')
}
