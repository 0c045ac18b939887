// SPDX-License-Identifier: MIT
// WebGL 2: one instanced draw a frame. The rectangles stay in a buffer; a frame changes four numbers. Text lies on a canvas above it.
import { element } from "../shell/element";
import { channels, colour } from "../shell/theme";
import type { Layout } from "./layout";
import { drawNames, drawOver, drawUnder, type OverlayScene } from "./overlay";
import type { Painter } from "./painter";
import { FLOATS, rectanglesOf, type Rectangles } from "./rectangles";
import { PALE, TINT } from "./tones";
import type { ViewData } from "./view_data";

type Uniform = "size" | "time" | "scroll" | "ratio" | "ground";

// A rectangle is at least one device pixel wide: an event is never too short to see.
const VERTEX = `#version 300 es
in vec4 place;
in vec4 colour;
uniform vec2 size;
uniform vec2 time;
uniform float scroll;
uniform float ratio;
flat out vec4 tone;
flat out vec2 extent;
out vec2 inside;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  float left = clamp(floor(place.x * time.x + time.y + 0.5), -4.0, size.x + 4.0);
  float right = clamp(floor((place.x + place.y) * time.x + time.y + 0.5), -4.0, size.x + 4.0);
  float width = max(right - left, 1.0);
  if (width > 4.0 * ratio && colour.a > 0.9) width -= ratio;
  float top = floor((place.z - scroll) * ratio + 0.5);
  float height = max(floor(place.w * ratio + 0.5), 1.0);
  extent = vec2(width, height);
  inside = corner * extent;
  tone = colour;
  vec2 at = vec2(left, top) + inside;
  gl_Position = vec4(at.x / size.x * 2.0 - 1.0, 1.0 - at.y / size.y * 2.0, 0.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
flat in vec4 tone;
flat in vec2 extent;
in vec2 inside;
uniform vec3 ground;
uniform float ratio;
out vec4 result;
void main() {
  bool pale = tone.a < 0.9;
  bool tinted = tone.a > 0.998 && extent.x > 6.0 * ratio && inside.y < extent.y - 2.0 * ratio;
  float share = pale ? ${PALE} : tinted ? ${TINT} : 1.0;
  result = vec4(mix(ground, tone.rgb, share), 1.0);
}`;

function shader(gl: WebGL2RenderingContext, type: number, source: string): WebGLShader {
  const made = gl.createShader(type)!;
  gl.shaderSource(made, source);
  gl.compileShader(made);
  return made;
}

function program(gl: WebGL2RenderingContext): WebGLProgram {
  const linked = gl.createProgram();
  gl.attachShader(linked, shader(gl, gl.VERTEX_SHADER, VERTEX));
  gl.attachShader(linked, shader(gl, gl.FRAGMENT_SHADER, FRAGMENT));
  gl.linkProgram(linked);
  if (gl.getProgramParameter(linked, gl.LINK_STATUS) !== true) {
    throw new Error(gl.getProgramInfoLog(linked) ?? "the shaders do not link");
  }
  return linked;
}

class GlPainter implements Painter {
  readonly kind = "webgl";
  readonly layers: readonly HTMLCanvasElement[];
  readonly #gl: WebGL2RenderingContext;
  readonly #program: WebGLProgram;
  readonly #uniforms: Record<Uniform, WebGLUniformLocation | null>;
  readonly #places: WebGLBuffer;
  readonly #colours: WebGLBuffer;
  readonly #under = element("canvas", { class: "tl-under", "aria-hidden": "true" });
  readonly #over = element("canvas", { class: "tl-over", "aria-hidden": "true" });
  #rectangles: Rectangles | null = null;
  #ratio = 1;

  constructor(canvas: HTMLCanvasElement, gl: WebGL2RenderingContext) {
    this.layers = [this.#under, canvas, this.#over];
    this.#gl = gl;
    this.#program = program(gl);
    const uniform = (name: string): WebGLUniformLocation | null => gl.getUniformLocation(this.#program, name);
    this.#uniforms = { size: uniform("size"), time: uniform("time"), scroll: uniform("scroll"), ratio: uniform("ratio"), ground: uniform("ground") };
    this.#places = gl.createBuffer();
    this.#colours = gl.createBuffer();
    this.#attribute("place", this.#places, gl.FLOAT);
    this.#attribute("colour", this.#colours, gl.UNSIGNED_BYTE);
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => location.reload());
  }

  #attribute(name: string, buffer: WebGLBuffer, type: number): void {
    const gl = this.#gl;
    const at = gl.getAttribLocation(this.#program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, 4, type, type === gl.UNSIGNED_BYTE, 0, 0);
    gl.vertexAttribDivisor(at, 1);
  }

  load(data: ViewData, layout: Layout): void {
    const gl = this.#gl;
    const rectangles = rectanglesOf(data, layout);
    this.#rectangles = rectangles;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#places);
    gl.bufferData(gl.ARRAY_BUFFER, rectangles.places.subarray(0, rectangles.count * FLOATS), gl.DYNAMIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#colours);
    gl.bufferData(gl.ARRAY_BUFFER, rectangles.colours.subarray(0, rectangles.count * 4), gl.DYNAMIC_DRAW);
  }

  resize(width: number, height: number, ratio: number): void {
    for (const canvas of this.layers) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.#ratio = ratio;
  }

  paint(scene: OverlayScene): boolean {
    drawUnder(this.#under.getContext("2d")!, scene, this.#ratio);
    this.#paintRectangles(scene);
    const over = this.#over.getContext("2d")!;
    over.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    over.clearRect(0, 0, scene.width, scene.height);
    if (scene.data !== null) {
      drawNames(over, scene, scene.data);
    }
    drawOver(over, scene, this.#ratio);
    return true;
  }

  #paintRectangles(view: OverlayScene): void {
    const gl = this.#gl;
    const { width, height } = gl.canvas;
    const ground = channels(colour("ground")).map((channel) => channel / 255);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const rectangles = this.#rectangles;
    if (rectangles === null || rectangles.count === 0) {
      return;
    }
    const uniforms = this.#uniforms;
    const pixelsPerNs = width / view.span;
    gl.useProgram(this.#program);
    gl.uniform2f(uniforms.size, width, height);
    gl.uniform2f(uniforms.time, rectangles.span * pixelsPerNs, (rectangles.from - view.from) * pixelsPerNs);
    gl.uniform1f(uniforms.scroll, view.scroll);
    gl.uniform1f(uniforms.ratio, this.#ratio);
    gl.uniform3f(uniforms.ground, ground[0]!, ground[1]!, ground[2]!);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, rectangles.count);
  }
}

// Whether a processor does the work of a GPU: a plain canvas is faster then (bench/timeline_frames.py).
export function isSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const names = gl?.getExtension("WEBGL_debug_renderer_info");
  const renderer = gl === null || names === null || names === undefined ? "" : String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL));
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/iu.test(renderer);
}

// Nothing where the browser has no WebGL 2, or cannot draw with it.
export function glPainter(): Painter | null {
  const canvas = element("canvas", { class: "tl-paint", "aria-hidden": "true" });
  const gl = canvas.getContext("webgl2", { alpha: true, antialias: false, depth: false, powerPreference: "low-power" });
  try {
    return gl === null ? null : new GlPainter(canvas, gl);
  } catch (error) {
    console.warn(error);
    return null;
  }
}
