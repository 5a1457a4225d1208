import type { FormatRender } from './format.ts'

/** One render of a fixed size in pixels. */
export function fixedRender(width: number, height: number, role = 'primary'): FormatRender {
  return { role, dimensions: { width, height, unit: 'px' } }
}

/** One render that follows its container and keeps an aspect ratio. */
export function fluidRender(minWidth: number, maxWidth: number, aspectRatio?: string): FormatRender {
  return {
    role: 'primary',
    dimensions: {
      min_width: minWidth,
      max_width: maxWidth,
      unit: 'px',
      responsive: { width: true, height: true },
      ...(aspectRatio !== undefined && { aspect_ratio: aspectRatio }),
    },
  }
}
