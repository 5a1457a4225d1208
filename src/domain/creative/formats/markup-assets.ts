import type { FormatAsset } from './format.ts'

/**
 * Asset slots for markup, tags and documents that say how an ad is shown. The asset id is the key that a creative manifest uses (AdCP
 * core/format.json `assets`); one id means one thing in every format of this agent.
 */

/** Third-party HTML5 markup, served in a sandboxed frame. */
export function htmlBundle(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'html',
    asset_type: 'html',
    asset_role: 'html5_creative',
    required: true,
    requirements: { max_file_size_kb: 200, sandbox: 'iframe', external_resources_allowed: true },
  }
}

/** A third-party JavaScript tag. */
export function scriptTag(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'tag',
    asset_type: 'javascript',
    asset_role: 'third_party_tag',
    required: true,
    requirements: { max_file_size_kb: 150, module_type: 'script', external_resources_allowed: true },
  }
}

/** A VAST document or tag; 4.2 is the newest version that the schema names. */
export function vastTag(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'vast',
    asset_type: 'vast',
    asset_role: 'vast_tag',
    required: true,
    requirements: { vast_version: '4.2' },
  }
}

/** A DAAST document or tag. */
export function daastTag(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'daast',
    asset_type: 'daast',
    asset_role: 'daast_tag',
    required: true,
    requirements: { daast_version: '1.0' },
  }
}

/** Markup that takes the place of the hosted image: a required slot is also filled by an optional one of the same role. */
export function imageMarkup(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'html',
    asset_type: 'html',
    asset_role: 'hero_image',
    required: false,
    requirements: { max_file_size_kb: 200, sandbox: 'iframe', external_resources_allowed: true },
  }
}

/** The made ad, in the manifest beside what it was made from. */
export function builtMarkup(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'html',
    asset_type: 'html',
    asset_role: 'built_creative',
    required: false,
    requirements: { max_file_size_kb: 200, sandbox: 'iframe', external_resources_allowed: true },
  }
}

/** A native ad in one piece, for exchanges: the response object of OpenRTB Native 1.2 as text. */
export function nativeDocument(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'openrtb_native',
    asset_type: 'text',
    asset_role: 'built_creative',
    required: false,
  }
}
